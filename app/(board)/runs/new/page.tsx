import type { Metadata } from 'next';
import { listExamples } from '@/app/examples/example-files';
import { NewRunPage } from '@/components/run/new-run-page';
import { runText } from '@/components/text/run-text';

export const metadata: Metadata = { title: runText.create.title };

export default async function NewRun() {
  return <NewRunPage examples={await listExamples()} />;
}
