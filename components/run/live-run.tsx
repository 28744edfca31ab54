'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { runText } from '@/components/text/run-text';
import type { Fleet } from '@/lib/fleet/device';
import type { RunCommand } from '@/lib/run/commands';
import type { Run } from '@/lib/run/run';
import { type LaunchFault, launchFaults } from '@/lib/store/selectors/launch-faults';
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

const NAMES_IN_A_REASON_MAX = 3;

/** What stands in the way of a launch, short enough for a tooltip: the rule's own sentence names every task. */
export function useLaunchObstacle(): { readonly reason: string | undefined; readonly faults: readonly LaunchFault[] } {
  const { run, fleet } = useLiveRun();
  const rule = useObstacle({ type: 'run-launch', runId: run.runId });
  const faults = rule === undefined ? [] : launchFaults(run, fleet);
  const isOpen = useGate('run-launch').isOpen;
  return { reason: isOpen && faults.length > 0 ? launchBlocked(faults) : rule, faults };
}

export function launchBlocked(faults: readonly LaunchFault[]): string {
  const names = faults.slice(0, NAMES_IN_A_REASON_MAX).map(({ name }) => name);
  return runText.panel.launchBlocked(names, faults.length);
}
