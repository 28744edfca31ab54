import { assertNever } from '@/lib/std/assert-never';
import type { DeviceId, RunId, SessionId, TaskId } from '@/lib/std/ids';
import type { RunEvent } from './events';
import type { Attempt, Run } from './run';

type AttemptAddress = {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly deviceId: DeviceId;
  readonly sessionId: SessionId;
};

/** Work for the outside that an event asks for; data until an edge runs it. */
export type RunEffect =
  /** Put it into the device's queue; its link sends it when the device is free. */
  | ({ readonly type: 'enqueue-attempt' } & AttemptAddress)
  /** Take it out of the queue: it was cancelled before it was sent. */
  | ({ readonly type: 'withdraw-attempt' } & AttemptAddress)
  /** Tell the device to stop; the link then reports how the attempt ended. */
  | ({ readonly type: 'cancel-attempt' } & AttemptAddress & { readonly reason: string | null });

/** @param run - the run after the event was folded */
export function effectsOf(event: RunEvent, run: Run): readonly RunEffect[] {
  switch (event.type) {
    case 'task-dispatched': {
      const { taskId, attempt, deviceId, sessionId } = event;
      return [{ type: 'enqueue-attempt', runId: run.runId, taskId, attempt, deviceId, sessionId }];
    }
    case 'attempt-cancelling': {
      const attempt = attemptOf(run, event.taskId, event.attempt);
      if (attempt === undefined) return [];
      return [{ type: 'cancel-attempt', ...addressOf(run, event.taskId, attempt), reason: event.reason }];
    }
    case 'attempt-ended': {
      const attempt = attemptOf(run, event.taskId, event.attempt);
      if (attempt === undefined || attempt.sendingAtMs !== null) return [];
      return [{ type: 'withdraw-attempt', ...addressOf(run, event.taskId, attempt) }];
    }
    case 'run-created':
    case 'run-launched':
    case 'run-cancel-asked':
    case 'run-ended':
    case 'run-reopened':
    case 'task-placed':
    case 'attempt-sending':
    case 'attempt-accepted':
    case 'attempt-lost':
    case 'attempt-strayed':
    case 'task-completed':
    case 'task-failed':
    case 'task-cancelled':
    case 'task-reset':
      return [];
    default:
      return assertNever(event);
  }
}

function attemptOf(run: Run, taskId: TaskId, number: number): Attempt | undefined {
  return run.tasks.get(taskId)?.attempts.find((attempt) => attempt.number === number);
}

function addressOf(run: Run, taskId: TaskId, attempt: Attempt): AttemptAddress {
  return {
    runId: run.runId,
    taskId,
    attempt: attempt.number,
    deviceId: attempt.deviceId,
    sessionId: attempt.sessionId,
  };
}
