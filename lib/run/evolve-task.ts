import { assertNever } from '@/lib/std/assert-never';
import type { RunEvent } from './events';
import type { Attempt, TaskResult, TaskRun } from './run';

/** Nothing was returned yet. */
export const NOTHING: TaskResult = { kind: 'none' };

/** A new attempt, as it enters its device's queue. */
export function queuedAttempt(event: Extract<RunEvent, { type: 'task-dispatched' }>): Attempt {
  return {
    number: event.attempt,
    deviceId: event.deviceId,
    sessionId: event.sessionId,
    actor: event.actor,
    queuedAtMs: event.atMs,
    sendingAtMs: null,
    acceptedAtMs: null,
    state: { phase: 'queued' },
    supersededResult: NOTHING,
    strays: [],
  };
}

type AttemptEvent = Extract<RunEvent, { type: `attempt-${string}` }>;

/** A task is running from the sending of its attempt on; an attempt that waits in a queue leaves it pending. */
export function taskAfterAttempt(task: TaskRun, event: AttemptEvent): TaskRun {
  const attempts = task.attempts.map((attempt) =>
    attempt.number === event.attempt ? attemptAfter(attempt, event) : attempt,
  );
  if (event.type !== 'attempt-sending') return { ...task, attempts };
  return { ...task, attempts, status: 'running', startedAtMs: event.atMs };
}

function attemptAfter(attempt: Attempt, event: AttemptEvent): Attempt {
  switch (event.type) {
    case 'attempt-sending':
      return { ...attempt, sendingAtMs: event.atMs, state: { phase: 'sending' } };
    case 'attempt-accepted':
      return { ...attempt, acceptedAtMs: event.atMs, state: { phase: 'accepted' } };
    case 'attempt-cancelling':
      return {
        ...attempt,
        state: { phase: 'cancelling', askedAtMs: event.atMs, actor: event.actor, reason: event.reason },
      };
    case 'attempt-ended': {
      const { outcome, error, atMs } = event;
      return { ...attempt, state: { phase: 'ended', outcome, endedAtMs: atMs, error } };
    }
    case 'attempt-lost':
      return { ...attempt, state: { phase: 'lost', lostAtMs: event.atMs, reason: event.reason } };
    case 'attempt-strayed': {
      const { atMs, outcome, result, error } = event;
      return { ...attempt, strays: [...attempt.strays, { atMs, outcome, result, error }] };
    }
    default:
      return assertNever(event);
  }
}

type TaskEvent = Extract<RunEvent, { type: 'task-completed' | 'task-failed' | 'task-cancelled' | 'task-reset' }>;

/** What a task is after an event that speaks of it as a whole. */
export function taskAfter(task: TaskRun, event: TaskEvent): TaskRun {
  const ended = { ...task, endedAtMs: event.atMs, failureCause: null, cancelCause: null };
  switch (event.type) {
    case 'task-completed':
      return { ...ended, status: 'completed', result: event.result, error: null };
    case 'task-failed':
      return { ...ended, status: 'failed', result: event.result, error: event.error, failureCause: event.cause };
    case 'task-cancelled':
      return { ...ended, status: 'cancelled', error: event.error, cancelCause: event.cause };
    case 'task-reset':
      return {
        ...ended,
        status: 'pending',
        result: NOTHING,
        error: null,
        startedAtMs: null,
        endedAtMs: null,
        currentRetry: task.currentRetry + (event.why === 'retry' ? 1 : 0),
        attempts: withSupersededResult(task),
      };
    default:
      return assertNever(event);
  }
}

function withSupersededResult(task: TaskRun): readonly Attempt[] {
  const last = task.attempts.at(-1);
  if (last === undefined || task.result.kind === 'none') return task.attempts;
  return [...task.attempts.slice(0, -1), { ...last, supersededResult: task.result }];
}
