import { type Constellation, type ConstellationDocument, fromDocument } from '@/lib/constellation/constellation';
import type { TaskOutcome, TaskStar } from '@/lib/constellation/task-star';
import { formatTimestamp, millisecondsOf } from '@/lib/constellation/timestamps';
import { assertNever } from '@/lib/std/assert-never';
import type { TaskId } from '@/lib/std/ids';
import type { RunEvent } from './events';
import { NOTHING, queuedAttempt, taskAfter, taskAfterAttempt } from './evolve-task';
import type { Run, TaskRun } from './run';

/**
 * Folds one event into a run. Holds no rule and reads no clock: what an event says has happened.
 *
 * @throws when the event speaks of a run or task that does not exist, which only a hole in the stream can cause
 */
export function evolveRun(run: Run | undefined, event: RunEvent): Run {
  return evolveRunAll(run, [event]);
}

/** The same for a batch, with one copy of the map of tasks. Tasks that no event names keep their identity. */
export function evolveRunAll(run: Run | undefined, events: readonly RunEvent[]): Run {
  if (run !== undefined && events.length === 0) return run;
  const fold = startFold(run);
  for (const event of events) fold.apply(event);
  return fold.current();
}

/** A fold in progress. `current` is read between events; what it gave is not to be kept once more events follow. */
export type RunFold = {
  apply(event: RunEvent): void;
  current(): Run;
};

/** The maps of a draft are its own, so they may change in place until the fold is done. */
type Draft = Omit<{ -readonly [Key in keyof Run]: Run[Key] }, 'tasks'> & { tasks: Map<TaskId, TaskRun> };

export function startFold(run: Run | undefined): RunFold {
  let draft: Draft | undefined = run === undefined ? undefined : { ...run, tasks: new Map(run.tasks) };
  return {
    apply(event) {
      if (event.type === 'run-created') draft = createdRun(event);
      else if (draft === undefined) throw new Error(`Expected run-created as first event of a run, got ${event.type}`);
      else applyEvent(draft, event);
    },
    current() {
      if (draft === undefined) throw new Error('Expected run-created as first event of a run, got no event');
      return draft;
    },
  };
}

type CreatedEvent = Extract<RunEvent, { type: 'run-created' }>;
type LaterEvent = Exclude<RunEvent, CreatedEvent>;

function createdRun(event: CreatedEvent): Draft {
  const outcomes = new Map(event.outcomes);
  const constellation = fromDocument(event.document);
  const tasks = new Map<TaskId, TaskRun>();
  for (const taskId of constellation.tasks.keys()) tasks.set(taskId, taskWithPast(taskId, outcomes.get(taskId)));
  return {
    runId: event.runId,
    constellation,
    tasks,
    state: emptyOrReady(event.document),
    revision: 0,
    warnings: event.warnings,
    createdAtMs: event.atMs,
    createdBy: event.actor,
    launchedAtMs: null,
    launchedBy: null,
    startedAtMs: null,
    endedAtMs: null,
    cancelAsked: null,
  };
}

function emptyOrReady(document: ConstellationDocument): Run['state'] {
  return document.tasks.length === 0 ? 'created' : 'ready';
}

function taskWithPast(taskId: TaskId, past: TaskOutcome | undefined): TaskRun {
  const wasReturned = past !== undefined && (past.status === 'completed' || past.result !== null);
  return {
    taskId,
    status: past?.status ?? 'pending',
    result: wasReturned ? { kind: 'inline', value: past.result } : NOTHING,
    error: past?.error ?? null,
    failureCause: null,
    cancelCause: null,
    startedAtMs: millisecondsOf(past?.startedAt ?? null),
    endedAtMs: millisecondsOf(past?.endedAt ?? null),
    currentRetry: past?.currentRetry ?? 0,
    attempts: [],
  };
}

function applyEvent(draft: Draft, event: LaterEvent): void {
  switch (event.type) {
    case 'run-launched':
      draft.launchedAtMs = event.atMs;
      draft.launchedBy = event.actor;
      startRun(draft, event.atMs);
      return;
    case 'run-cancel-asked':
      draft.cancelAsked = { atMs: event.atMs, actor: event.actor, reason: event.reason };
      return;
    case 'run-ended':
      draft.state = event.state;
      draft.endedAtMs = event.atMs;
      return;
    case 'run-reopened':
      draft.state = 'executing';
      draft.endedAtMs = null;
      draft.cancelAsked = null;
      return;
    case 'task-placed':
      draft.constellation = withTask(draft.constellation, event.taskId, {
        targetDeviceId: event.deviceId,
        updatedAt: formatTimestamp(event.atMs),
      });
      draft.revision += 1;
      return;
    case 'task-dispatched':
      changeTask(draft, event.taskId, (task) => ({ ...task, attempts: [...task.attempts, queuedAttempt(event)] }));
      startRun(draft, event.atMs);
      return;
    case 'attempt-sending':
    case 'attempt-accepted':
    case 'attempt-cancelling':
    case 'attempt-ended':
    case 'attempt-lost':
    case 'attempt-strayed':
      changeTask(draft, event.taskId, (task) => taskAfterAttempt(task, event));
      return;
    case 'task-completed':
    case 'task-failed':
    case 'task-cancelled':
    case 'task-reset':
      changeTask(draft, event.taskId, (task) => taskAfter(task, event));
      return;
    default:
      assertNever(event);
  }
}

/** A run executes from its launch or its first dispatch on, and never goes back to ready. */
function startRun(draft: Draft, atMs: number): void {
  draft.state = 'executing';
  draft.startedAtMs ??= atMs;
}

function withTask(constellation: Constellation, taskId: TaskId, change: Partial<TaskStar>): Constellation {
  const task = constellation.tasks.get(taskId);
  if (task === undefined) throw unknownTask(taskId);
  const tasks = new Map(constellation.tasks).set(taskId, { ...task, ...change });
  return { ...constellation, updatedAt: change.updatedAt ?? constellation.updatedAt, tasks };
}

function changeTask(draft: Draft, taskId: TaskId, change: (task: TaskRun) => TaskRun): void {
  const task = draft.tasks.get(taskId);
  if (task === undefined) throw unknownTask(taskId);
  draft.tasks.set(taskId, change(task));
}

function unknownTask(taskId: TaskId): Error {
  return new Error(`Expected an event of a task of this run, got one of ${JSON.stringify(taskId)}`);
}
