import type { ConstellationState } from '@/lib/constellation/constellation';
import { DISPLAY_STATES, type DisplayState } from '@/lib/run/display-state';
import type { Run, TaskRun } from '@/lib/run/run';
import type { DeviceId, TaskId } from '@/lib/std/ids';
import type { RunView } from './run-view';

/** The word for a run as a whole. */
export type RunWord = 'draft' | 'running' | 'cancelling' | 'completed' | 'partly-failed' | 'failed' | 'cancelled';

export type RunFacts = {
  readonly state: ConstellationState;
  readonly launchedAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
};

const ENDED_WORD: Record<ConstellationState, RunWord> = {
  created: 'completed',
  ready: 'completed',
  executing: 'running',
  completed: 'completed',
  failed: 'failed',
  partially_failed: 'partly-failed',
  cancelled: 'cancelled',
};

/** For a whole run or its row in the list, which does not know whether a cancel was asked. */
export function runWord(facts: RunFacts, cancel: 'asked' | 'not-asked' = 'not-asked'): RunWord {
  if (facts.endedAtMs !== null) return ENDED_WORD[facts.state];
  if (cancel === 'asked') return 'cancelling';
  return facts.launchedAtMs !== null || facts.startedAtMs !== null ? 'running' : 'draft';
}

/** How many tasks are in each state, in the order in which an operator wants to know; states without a task are left out. */
export type StateCount = { readonly state: DisplayState; readonly count: number };

const COUNT_ORDER: readonly DisplayState[] = [
  'failed',
  'timed-out',
  'unknown',
  'cancelling',
  'running',
  'dispatching',
  'waiting',
  'pending',
  'completed',
  'skipped',
  'cancelled',
];

export function stateCounts(view: RunView): readonly StateCount[] {
  const counts = new Map<DisplayState, number>(DISPLAY_STATES.map((state) => [state, 0]));
  for (const task of view.tasks.values()) counts.set(task.state, (counts.get(task.state) ?? 0) + 1);
  return COUNT_ORDER.map((state) => ({ state, count: counts.get(state) ?? 0 })).filter(({ count }) => count > 0);
}

export type Failure = {
  readonly taskId: TaskId;
  readonly name: string;
  readonly state: DisplayState;
  readonly deviceId: DeviceId | null;
  readonly atMs: number | null;
  readonly error: string;
};

/** Real causes only, the earliest first; tasks that were skipped because of one are not causes. */
export function failuresOf(run: Run, view: RunView): readonly Failure[] {
  const failed = [...run.tasks.values()].filter((task) => task.status === 'failed');
  failed.sort((left, right) => endOf(left) - endOf(right));
  return failed.map((task) => ({
    taskId: task.taskId,
    name: view.tasks.get(task.taskId)?.name ?? task.taskId,
    state: view.tasks.get(task.taskId)?.state ?? 'failed',
    deviceId: task.attempts.at(-1)?.deviceId ?? null,
    atMs: task.endedAtMs,
    error: task.error ?? '',
  }));
}

/** The failure after or before the one that is looked at, round and round; the first or the last when none is. */
export function stepFailure(
  failures: readonly Failure[],
  from: TaskId | null,
  step: 'next' | 'previous',
): TaskId | undefined {
  const at = failures.findIndex(({ taskId }) => taskId === from);
  if (step === 'next') return (failures[at + 1] ?? failures[0])?.taskId;
  return (at > 0 ? failures[at - 1] : failures.at(-1))?.taskId;
}

/** Failures without a time, as a file may have them, come last. */
function endOf(task: TaskRun): number {
  return task.endedAtMs ?? Number.POSITIVE_INFINITY;
}

/** Tasks of an unended or ended run that will not run because of others. */
export function skippedCount(view: RunView): number {
  let count = 0;
  for (const task of view.tasks.values()) if (task.state === 'skipped') count += 1;
  return count;
}

/** Attempts that are on a device or on their way to one: what a cancel would stop. */
export function liveCount(view: RunView): number {
  let count = 0;
  for (const task of view.tasks.values()) if (task.runningSinceMs !== null) count += 1;
  return count;
}
