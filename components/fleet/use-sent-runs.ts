import { useState } from 'react';
import { type RunId, runIdSchema } from '@/lib/std/ids';

const NAME = 'run';
const SHOWN_MAX = 5;

/** Runs that were sent from this page, newest first. They stand in the address, so a reload shows them again. */
export function useSentRuns(): readonly [readonly RunId[], (runId: RunId) => void] {
  const [runIds, setRunIds] = useState<readonly RunId[]>(readAddress);
  return [
    runIds,
    (runId) => {
      const next = [runId, ...runIds.filter((other) => other !== runId)].slice(0, SHOWN_MAX);
      setRunIds(next);
      const address = new URL(window.location.href);
      address.searchParams.delete(NAME);
      for (const id of next) address.searchParams.append(NAME, id);
      window.history.replaceState(window.history.state, '', address);
    },
  ];
}

function readAddress(): readonly RunId[] {
  const named = new URLSearchParams(window.location.search).getAll(NAME).slice(0, SHOWN_MAX);
  return named.flatMap((id) => {
    const runId = runIdSchema.safeParse(id);
    return runId.success ? [runId.data] : [];
  });
}
