'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import type { Fleet } from '@/lib/fleet/device';
import type { RunCommand } from '@/lib/run/commands';
import type { Run } from '@/lib/run/run';
import { permitFor } from '@/lib/store/selectors/run-permits';
import type { RunView } from '@/lib/store/selectors/run-view';

/** One run at one moment: everything on the page is drawn from the same one. */
export type LiveRun = { readonly run: Run; readonly fleet: Fleet; readonly view: RunView };

const LiveRunContext = createContext<LiveRun | null>(null);

export function LiveRunProvider({ live, children }: { readonly live: LiveRun; readonly children: ReactNode }) {
  return <LiveRunContext value={live}>{children}</LiveRunContext>;
}

export function useLiveRun(): LiveRun {
  const live = useContext(LiveRunContext);
  if (live === null) throw new Error('Expected a LiveRunProvider around this component');
  return live;
}

/** Why a command cannot be given now: no connection, no right, or a rule; undefined when it can. */
export function useObstacle(command: RunCommand): string | undefined {
  const { run, fleet } = useLiveRun();
  const gate = useGate(command.type);
  if (!gate.isOpen) return gate.reason;
  const permit = permitFor(run, fleet, command);
  return permit.isAllowed ? undefined : permit.reason;
}
