import type { Readiness } from '@/lib/constellation/readiness';
import type { TaskStatus } from '@/lib/constellation/task-star';
import { type Device, type Fleet, takesWork } from '@/lib/fleet/device';
import type { TaskId } from '@/lib/std/ids';
import { readinessOfRun } from './progress';
import { type FailureCause, type LiveAttempt, liveAttempt, type Run, type TaskRun } from './run';
import { isRunEnded } from './run-state';

/**
 * The words of the screen. Each maps to one stored status:
 * pending, waiting, dispatching → pending; running, cancelling → running; completed → completed;
 * failed, timed-out, unknown → failed; cancelled, skipped → cancelled.
 */
export const DISPLAY_STATES = [
  'pending',
  'waiting',
  'dispatching',
  'running',
  'completed',
  'failed',
  'timed-out',
  'cancelling',
  'cancelled',
  'skipped',
  'unknown',
] as const;
export type DisplayState = (typeof DISPLAY_STATES)[number];

/** What a task's word depends on beyond the task. */
export type DisplayView = {
  /** Whether the planner acts on the run: launched, and neither cancelled nor ended. */
  readonly isPlanned: boolean;
  /** Of a pending task; undefined for others. */
  readonly readiness: Readiness | undefined;
  /** Where the live attempt runs; undefined when the device or the fleet is not known here. */
  readonly device: Device | undefined;
};

type Word = DisplayState | 'by-readiness' | 'by-failure' | 'by-cancel' | 'by-device';
type LivePhase = LiveAttempt['state']['phase'] | 'none';

/** Total: some pairs cannot happen, but if one does the screen shows the truth about the attempt. */
const WORDS: Record<TaskStatus, Record<LivePhase, Word>> = {
  pending: {
    none: 'by-readiness',
    queued: 'dispatching',
    sending: 'dispatching',
    accepted: 'by-device',
    cancelling: 'cancelling',
  },
  running: {
    none: 'unknown',
    queued: 'dispatching',
    sending: 'dispatching',
    accepted: 'by-device',
    cancelling: 'cancelling',
  },
  completed: constant('completed'),
  failed: constant('by-failure'),
  cancelled: constant('by-cancel'),
};

function constant(word: Word): Record<LivePhase, Word> {
  return { none: word, queued: word, sending: word, accepted: word, cancelling: word };
}

const FAILURE_WORDS: Record<FailureCause, DisplayState> = {
  device: 'failed',
  refused: 'failed',
  timeout: 'timed-out',
  'outcome-unknown': 'unknown',
  'too-large': 'failed',
};

/** The one word for a task, everywhere it is shown. */
export function displayState(task: TaskRun, view: DisplayView): DisplayState {
  const word = WORDS[task.status][livePhase(task)];
  switch (word) {
    case 'by-readiness':
      return wordOfPending(view);
    case 'by-device':
      return view.device !== undefined && !takesWork(view.device.status) ? 'unknown' : 'running';
    case 'by-failure':
      return task.failureCause === null ? 'failed' : FAILURE_WORDS[task.failureCause];
    case 'by-cancel':
      return task.cancelCause?.kind === 'blocked' ? 'skipped' : 'cancelled';
    default:
      return word;
  }
}

/** What may go is pending; what others hold up is waiting, in a draft only if it could never run. */
function wordOfPending({ isPlanned: planned, readiness }: DisplayView): DisplayState {
  if (readiness?.kind === 'blocked') return 'waiting';
  return planned && readiness?.kind !== 'ready' ? 'waiting' : 'pending';
}

function livePhase(task: TaskRun): LivePhase {
  return liveAttempt(task)?.state.phase ?? 'none';
}

/** Whether the planner acts on the run. */
export function isPlanned(run: Run): boolean {
  return run.launchedAtMs !== null && run.cancelAsked === null && !isRunEnded(run);
}

/** The words of all tasks of a run, in one pass; `fleet` is undefined where it is not known. */
export function displayStates(run: Run, fleet: Fleet | undefined): ReadonlyMap<TaskId, DisplayState> {
  const readiness = readinessOfRun(run);
  const planned = isPlanned(run);
  const words = new Map<TaskId, DisplayState>();
  for (const [taskId, task] of run.tasks) {
    const deviceId = liveAttempt(task)?.deviceId;
    const device = deviceId === undefined ? undefined : fleet?.devices.get(deviceId);
    words.set(taskId, displayState(task, { isPlanned: planned, readiness: readiness.get(taskId), device }));
  }
  return words;
}
