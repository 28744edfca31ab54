import { resolveBlocked } from '@/lib/constellation/blocked';
import { byPriority } from '@/lib/constellation/by-priority';
import type { Fleet } from '@/lib/fleet/device';
import { findDevice } from '@/lib/fleet/find-device';
import type { RunCommand, RunStep } from '@/lib/run/commands';
import { isPlanned } from '@/lib/run/display-state';
import { allTasksEnded, progressOf } from '@/lib/run/progress';
import { liveAttempt, type Run } from '@/lib/run/run';
import { isRunEnded } from '@/lib/run/run-state';
import type { TaskId } from '@/lib/std/ids';

/** What should happen next; each goes through `decideRun` like everything else. */
export type Intent = Extract<RunCommand, { type: 'task-dispatch' }> | RunStep;

/**
 * What a run needs now. Policy only: it promises nothing, and asking again after its intents were folded gives none.
 *
 * Blocked tasks are skipped, and what hangs on a skipped one follows its own line; then every ready task goes to its
 * device, most urgent first; a run whose tasks have all ended is ended. A task whose device is unknown is left waiting
 * for an operator. Runs that are not launched are only ended, never advanced.
 */
export function planNext(run: Run, fleet: Fleet): Intent[] {
  if (isRunEnded(run)) return [];
  const { runId } = run;
  if (!isPlanned(run)) return endIfDone(run);
  const { skipped, ready } = resolveBlocked(progressOf(run));
  const skips = skipped.map(({ taskId, line }): Intent => ({ type: 'task-skip', runId, taskId, lineId: line.lineId }));
  const waiting = ready.filter((taskId) => canGo(run, fleet, taskId));
  const dispatches = byPriority(run.constellation, waiting).map(
    (taskId): Intent => ({ type: 'task-dispatch', runId, taskId }),
  );
  if (skips.length > 0 && willAllHaveEnded(run, new Set(skipped.map(({ taskId }) => taskId)))) {
    return [...skips, { type: 'run-end', runId }];
  }
  return [...skips, ...dispatches, ...endIfDone(run)];
}

function canGo(run: Run, fleet: Fleet, taskId: TaskId): boolean {
  const task = run.tasks.get(taskId);
  if (task === undefined || liveAttempt(task) !== undefined) return false;
  const named = run.constellation.tasks.get(taskId)?.targetDeviceId ?? null;
  return named !== null && findDevice(fleet, named) !== undefined;
}

/** An empty draft has nothing that could have ended it. */
function endIfDone(run: Run): Intent[] {
  const hasBegun = run.tasks.size > 0 || run.launchedAtMs !== null || run.cancelAsked !== null;
  return hasBegun && allTasksEnded(run) ? [{ type: 'run-end', runId: run.runId }] : [];
}

function willAllHaveEnded(run: Run, skipped: ReadonlySet<TaskId>): boolean {
  for (const [taskId, { status }] of run.tasks) {
    if ((status === 'pending' || status === 'running') && !skipped.has(taskId)) return false;
  }
  return true;
}
