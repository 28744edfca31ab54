import { RunPage } from '@/components/run/run-page';

type RunRouteProps = { readonly params: Promise<{ readonly runId: string }> };

export default async function Run({ params }: RunRouteProps) {
  return <RunPage runId={(await params).runId} />;
}
