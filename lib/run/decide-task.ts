import { lineState } from '@/lib/constellation/line-state';
import type { TaskStarLine } from '@/lib/constellation/task-star';
import { assertNever } from '@/lib/std/assert-never';
import { type DeviceId, type SessionId, sessionIdSchema, type TaskId } from '@/lib/std/ids';
import { ok, type Result } from '@/lib/std/result';
import type { Refusal, RunCommand, RunStep } from './commands';
import { type Decision, findTarget, findTask, type RunContext, refused } from './decision';
import type { RunEvent } from './events';
import { progressOf, readinessOfTask } from './progress';
import { type CancelCause, isTerminal, liveAttempt, type Run, type TaskRun } from './run';
import { isRunEnded } from './run-state';

type Command<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>;

/** Moves a pending task to another device, or to none while the run is a draft. */
export function decideTaskPlace(run: Run, command: Command<'task-place'>, context: RunContext): Decision {
  const found = findTask(run, command.taskId);
  if (!found.ok) return found;
  if (command.baseRevision !== run.revision) {
    return refused(
      'stale-revision',
      `The plan has changed: expected revision ${run.revision}, got ${command.baseRevision}; look at the plan again and repeat.`,
    );
  }
  const movable = mayMove(found.value);
  if (!movable.ok) return movable;
  if (command.deviceId === null) {
    if (run.launchedAtMs !== null) {
      return refused(
        'device-missing',
        `A launched run needs a device for every task; name the one for "${command.taskId}".`,
      );
    }
  } else {
    const target = findTarget(command.taskId, command.deviceId, context.fleet);
    if (!target.ok) return target;
  }
  return ok(placedEvents(run, { taskId: command.taskId, deviceId: command.deviceId, context }));
}

function mayMove(task: TaskRun): Result<null, Refusal> {
  if (task.status === 'running') {
    return refused('task-running', `Task "${task.taskId}" is running; cancel it before moving it.`);
  }
  if (isTerminal(task.status)) {
    return refused('task-ended', `Task "${task.taskId}" is ${task.status}; retry it with another device instead.`);
  }
  if (liveAttempt(task) !== undefined) {
    return refused('already-dispatched', `Task "${task.taskId}" is on its way; cancel it before moving it.`);
  }
  return ok(null);
}

type Placement = { readonly taskId: TaskId; readonly deviceId: DeviceId | null; readonly context: RunContext };

/** None when the task is there already, so that a plan's revision counts changes only. */
export function placedEvents(run: Run, { taskId, deviceId, context }: Placement): RunEvent[] {
  if (run.constellation.tasks.get(taskId)?.targetDeviceId === deviceId) return [];
  return [{ type: 'task-placed', atMs: context.nowMs, actor: context.actor, taskId, deviceId }];
}

/** One task to its device, by hand or by the planner. Works on a draft too: then only this task runs. */
export function decideTaskDispatch(run: Run, command: Command<'task-dispatch'>, context: RunContext): Decision {
  const found = findTask(run, command.taskId);
  if (!found.ok) return found;
  const allowed = mayDispatch(run, found.value);
  if (!allowed.ok) return allowed;
  const named = command.deviceId ?? run.constellation.tasks.get(command.taskId)?.targetDeviceId ?? null;
  const target = findTarget(command.taskId, named, context.fleet);
  if (!target.ok) return target;
  return ok(dispatchedEvents(run, { taskId: command.taskId, deviceId: target.value.profile.deviceId, context }));
}

function mayDispatch(run: Run, task: TaskRun): Result<null, Refusal> {
  const live = liveAttempt(task);
  if (live !== undefined) {
    return refused(
      'already-dispatched',
      `Task "${task.taskId}" was dispatched already: try ${live.number} is ${live.state.phase} on ${live.deviceId}.`,
    );
  }
  if (run.cancelAsked !== null) {
    return refused(
      'run-ended',
      `Run ${run.runId} was cancelled and starts nothing new; retry the task once the run has ended.`,
    );
  }
  if (isTerminal(task.status)) {
    return refused('task-ended', `Task "${task.taskId}" is ${task.status} already; retry it to run it again.`);
  }
  const readiness = readinessOfTask(run, task.taskId);
  if (readiness.kind === 'ready') return ok(null);
  return refused('task-not-ready', `Task "${task.taskId}" is not ready: ${describeLine(run, readiness.line)}.`);
}

/** Why a line is not met, as part of a sentence. */
export function describeLine(run: Run, line: TaskStarLine): string {
  const prerequisite = run.tasks.get(line.fromTaskId);
  const status = prerequisite?.status ?? 'unknown';
  return `line "${line.lineId}" (${line.dependencyType}) needs "${line.fromTaskId}", which is ${status}`;
}

type Dispatch = { readonly taskId: TaskId; readonly deviceId: DeviceId; readonly context: RunContext };

/** A fresh attempt with a number and a session that were never used. */
export function dispatchedEvents(run: Run, { taskId, deviceId, context }: Dispatch): RunEvent[] {
  const attempt = (run.tasks.get(taskId)?.attempts.length ?? 0) + 1;
  const sessionId = mintSessionId(`${run.runId}.${taskId}.${attempt}.${context.sessionHex()}`);
  const { nowMs: atMs, actor } = context;
  return [
    ...placedEvents(run, { taskId, deviceId, context }),
    { type: 'task-dispatched', atMs, actor, taskId, attempt, deviceId, sessionId },
  ];
}

/** Throws only if an id schema would let through more characters than a session id may have. */
function mintSessionId(text: string): SessionId {
  return sessionIdSchema.parse(text);
}

export function decideTaskCancel(run: Run, command: Command<'task-cancel'>, context: RunContext): Decision {
  const found = findTask(run, command.taskId);
  if (!found.ok) return found;
  if (isTerminal(found.value.status)) {
    return refused(
      'task-ended',
      `Task "${command.taskId}" is ${found.value.status} already; there is nothing to cancel.`,
    );
  }
  return ok(cancelAttempt(found.value, { cause: { kind: 'operator' }, reason: command.reason ?? null, context }));
}

type Cancelling = { readonly cause: CancelCause; readonly reason: string | null; readonly context: RunContext };

/**
 * What was never sent is cancelled at once; what may have reached the device is asked to stop, and ends when its link
 * says so.
 */
export function cancelAttempt(task: TaskRun, { cause, reason, context }: Cancelling): RunEvent[] {
  const { nowMs: atMs, actor } = context;
  const { taskId } = task;
  const error = cancelError(cause, actor, reason);
  const cancelled: RunEvent = { type: 'task-cancelled', atMs, taskId, cause, error };
  const live = liveAttempt(task);
  if (live === undefined) return [cancelled];
  const attempt = live.number;
  switch (live.state.phase) {
    case 'queued':
      return [{ type: 'attempt-ended', atMs, taskId, attempt, outcome: 'cancelled', error }, cancelled];
    case 'cancelling':
      return [];
    case 'sending':
    case 'accepted':
      return [{ type: 'attempt-cancelling', atMs, actor, taskId, attempt, reason }];
    default:
      return assertNever(live.state);
  }
}

export function cancelError(cause: CancelCause, actor: string, reason: string | null): string {
  const what = cause.kind === 'run' ? `The run was cancelled by ${actor}` : `Cancelled by ${actor}`;
  return reason === null || reason === '' ? what : `${what}: ${reason}`;
}

/** A task that can never run is skipped, with the line that forbids it as its cause. */
export function decideTaskSkip(run: Run, step: Extract<RunStep, { type: 'task-skip' }>, context: RunContext): Decision {
  const found = findTask(run, step.taskId);
  if (!found.ok) return found;
  const task = found.value;
  if (task.status !== 'pending' || liveAttempt(task) !== undefined || isRunEnded(run)) {
    return refused('not-allowed', `Task "${task.taskId}" is ${task.status}; only a waiting task can be skipped.`);
  }
  const line = run.constellation.lines.get(step.lineId);
  if (line?.toTaskId !== task.taskId || lineState(line, progressOf(run).factsOf(line.fromTaskId)) !== 'unmeetable') {
    return refused('not-allowed', `Line "${step.lineId}" does not block task "${task.taskId}"; it is not skipped.`);
  }
  const error = `Skipped: ${describeLine(run, line)}`;
  const cause: CancelCause = { kind: 'blocked', lineId: line.lineId };
  return ok([{ type: 'task-cancelled', atMs: context.nowMs, taskId: task.taskId, cause, error }]);
}
