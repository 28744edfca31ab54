import type { Metadata } from 'next';
import { RunsPage } from '@/components/run/runs-page';
import { runText } from '@/components/text/run-text';

export const metadata: Metadata = { title: runText.list.title };

export default function Runs() {
  return <RunsPage />;
}
