import { toDocument } from '@/lib/constellation/constellation';
import type { TaskForm } from '@/lib/constellation/constellation-form';
import type { TaskOutcome } from '@/lib/constellation/task-star';
import { formatTimestamp } from '@/lib/constellation/timestamps';
import { writeConstellation } from '@/lib/constellation/write-constellation';
import type { Fleet } from '@/lib/fleet/device';
import type { TaskId } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';
import { displayStates } from './display-state';
import { readinessOfRun } from './progress';
import type { Attempt, Run, StrayResult, TaskResult, TaskRun } from './run';
import type { AttemptResource, RunDocument, RunTask } from './run-document';
import { explainWaiting } from './waiting-reason';

/** A run as the HTTP API and an export show it. */
export function toRunDocument(run: Run, fleet: Fleet): RunDocument {
  const outcomes = new Map<TaskId, TaskOutcome>();
  for (const [taskId, task] of run.tasks) outcomes.set(taskId, outcomeOf(task));
  const form = writeConstellation({
    document: toDocument(run.constellation),
    outcomes,
    state: run.state,
    startedAt: timeOf(run.startedAtMs),
    endedAt: timeOf(run.endedAtMs),
  });
  return {
    run_id: run.runId,
    ...form,
    tasks: writeTasks(run, fleet, form.tasks),
    revision: run.revision,
    run_created_at: formatTimestamp(run.createdAtMs),
    created_by: run.createdBy,
    launched_at: timeOf(run.launchedAtMs),
    launched_by: run.launchedBy,
    cancel_asked_at: timeOf(run.cancelAsked?.atMs ?? null),
    cancel_asked_by: run.cancelAsked?.actor ?? null,
    cancel_reason: run.cancelAsked?.reason ?? null,
    warnings: run.warnings.map(({ path, message }) => ({ path, message })),
  };
}

function writeTasks(run: Run, fleet: Fleet, forms: Readonly<Record<string, TaskForm>>): Record<string, RunTask> {
  const words = displayStates(run, fleet);
  const readiness = readinessOfRun(run);
  const written: [string, RunTask][] = [];
  for (const [taskId, task] of run.tasks) {
    const form = forms[taskId];
    if (form === undefined) continue;
    const { cancelCause } = task;
    written.push([
      taskId,
      {
        ...form,
        display_state: words.get(taskId) ?? 'pending',
        failure_cause: task.failureCause,
        cancel_cause: cancelCause?.kind ?? null,
        blocked_by: cancelCause?.kind === 'blocked' ? cancelCause.lineId : null,
        waiting_reason: explainWaiting(run, fleet, { taskId, readiness: readiness.get(taskId) })?.text ?? null,
        result_blob: blobOf(task.result),
        attempts: task.attempts.map((attempt) => writeAttempt(task, attempt)),
      },
    ]);
  }
  return Object.fromEntries(written);
}

function outcomeOf(task: TaskRun): TaskOutcome {
  return {
    status: task.status,
    result: inlineValue(task.result),
    error: task.error,
    startedAt: timeOf(task.startedAtMs),
    endedAt: timeOf(task.endedAtMs),
    currentRetry: task.currentRetry,
  };
}

function writeAttempt(task: TaskRun, attempt: Attempt): AttemptResource {
  const { state } = attempt;
  const result = resultOfAttempt(task, attempt);
  const cancelling = state.phase === 'cancelling' ? state : null;
  return {
    number: attempt.number,
    device_id: attempt.deviceId,
    session_id: attempt.sessionId,
    actor: attempt.actor,
    phase: state.phase,
    queued_at: formatTimestamp(attempt.queuedAtMs),
    sending_at: timeOf(attempt.sendingAtMs),
    accepted_at: timeOf(attempt.acceptedAtMs),
    ended_at: timeOf(endedAtMs(attempt)),
    outcome: state.phase === 'ended' ? state.outcome : null,
    result: inlineValue(result),
    result_blob: blobOf(result),
    error: errorOf(attempt),
    cancel_asked_at: timeOf(cancelling?.askedAtMs ?? null),
    cancel_asked_by: cancelling?.actor ?? null,
    cancel_reason: cancelling?.reason ?? null,
    strays: attempt.strays.map(writeStray),
  };
}

/** The last attempt that ended has the task's result; earlier ones keep the one that a retry took off the task. */
function resultOfAttempt(task: TaskRun, attempt: Attempt): TaskResult {
  const isLast = task.attempts.at(-1) === attempt;
  return isLast && attempt.state.phase === 'ended' && task.status !== 'pending'
    ? task.result
    : attempt.supersededResult;
}

function endedAtMs({ state }: Attempt): number | null {
  if (state.phase === 'ended') return state.endedAtMs;
  return state.phase === 'lost' ? state.lostAtMs : null;
}

function errorOf({ state }: Attempt): string | null {
  if (state.phase === 'ended') return state.error;
  return state.phase === 'lost' ? state.reason : null;
}

function writeStray({ atMs, outcome, result, error }: StrayResult): AttemptResource['strays'][number] {
  return { at: formatTimestamp(atMs), outcome, result: inlineValue(result), result_blob: blobOf(result), error };
}

function inlineValue(result: TaskResult): JsonValue {
  return result.kind === 'inline' ? result.value : null;
}

function blobOf(result: TaskResult): { handle: string; size_bytes: number } | null {
  return result.kind === 'blob' ? { handle: result.handle, size_bytes: result.sizeBytes } : null;
}

function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : formatTimestamp(atMs);
}
