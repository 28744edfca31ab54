import { requestText } from '@/lib/constellation/request-text';
import type { RunEffect } from '@/lib/run/effects-of';
import type { Attempt, Run, TaskRun } from '@/lib/run/run';
import type { AttemptOrder } from '@/relay/links/link-host';

/** The reference's limit for a task that names none. */
const TASK_TIMEOUT_MS = 1_000_000;

type Address = Pick<Extract<RunEffect, { type: 'enqueue-attempt' }>, 'taskId' | 'attempt' | 'deviceId' | 'sessionId'>;

/** What a link needs to send an attempt; undefined if the run has no such task. */
export function orderOf(run: Run, { taskId, attempt, deviceId, sessionId }: Address): AttemptOrder | undefined {
  const task = run.constellation.tasks.get(taskId);
  if (task === undefined) return undefined;
  const { runId } = run;
  return {
    runId,
    taskId,
    attempt,
    deviceId,
    sessionId,
    taskName: task.name === '' ? taskId : task.name,
    request: requestText(task),
    timeoutMs: task.timeoutMs ?? TASK_TIMEOUT_MS,
  };
}

export function orderOfAttempt(run: Run, task: TaskRun, attempt: Attempt): AttemptOrder | undefined {
  const { deviceId, sessionId, number } = attempt;
  return orderOf(run, { taskId: task.taskId, attempt: number, deviceId, sessionId });
}
