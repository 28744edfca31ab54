import type { TaskFacts } from '@/lib/constellation/condition';
import { graphOf, sortTasks } from '@/lib/constellation/graph';
import { type Progress, readinessBehind } from '@/lib/constellation/readiness';
import type { TaskId } from '@/lib/std/ids';
import { ok, type Result } from '@/lib/std/result';
import type { Refusal, RunCommand } from './commands';
import { describeLine, dispatchedEvents, placedEvents } from './decide-task';
import { type Decision, findTarget, findTask, type RunContext, refused } from './decision';
import type { RunEvent } from './events';
import { evolveRunAll } from './evolve';
import { progressOf, readinessOfTask } from './progress';
import type { Run, TaskRun } from './run';
import { isRunEnded } from './run-state';

/**
 * Puts a failed or cancelled task back to pending, with every task behind it that was skipped because of it, and opens
 * the run again if it had ended. A person's retry has no limit.
 *
 * Nobody plans a run that was never launched, so there a task that is ready is dispatched by the retry itself.
 */
export function decideRetry(
  run: Run,
  command: Extract<RunCommand, { type: 'task-retry' }>,
  context: RunContext,
): Decision {
  const { taskId } = command;
  const found = findTask(run, taskId);
  if (!found.ok) return found;
  const allowed = mayRetry(run, found.value);
  if (!allowed.ok) return allowed;
  const named = command.deviceId ?? run.constellation.tasks.get(taskId)?.targetDeviceId ?? null;
  const target = findTarget(taskId, named, context.fleet);
  if (!target.ok) return target;
  const { deviceId } = target.value.profile;

  const { nowMs: atMs, actor } = context;
  const events: RunEvent[] = [];
  if (isRunEnded(run)) events.push({ type: 'run-reopened', atMs, actor });
  events.push(...placedEvents(run, { taskId, deviceId, context }));
  events.push({ type: 'task-reset', atMs, actor, taskId, why: 'retry' });
  for (const freed of unblockedBehind(run, taskId)) {
    events.push({ type: 'task-reset', atMs, actor, taskId: freed, why: 'unblocked' });
  }
  if (run.launchedAtMs === null && readinessOfTask(run, taskId).kind === 'ready') {
    events.push(...dispatchedEvents(evolveRunAll(run, events), { taskId, deviceId, context }));
  }
  return ok(events);
}

function mayRetry(run: Run, task: TaskRun): Result<null, Refusal> {
  const { taskId, status } = task;
  if (status !== 'failed' && status !== 'cancelled') {
    return refused('task-not-failed', `Task "${taskId}" is ${status}; only a failed or cancelled task can be retried.`);
  }
  if (run.cancelAsked !== null && !isRunEnded(run)) {
    return refused('conflict', `Run ${run.runId} is being cancelled; retry "${taskId}" once it has ended.`);
  }
  const readiness = readinessOfTask(run, taskId);
  if (readiness.kind !== 'blocked') return ok(null);
  return refused(
    'task-not-ready',
    `Task "${taskId}" cannot run: ${describeLine(run, readiness.line)}; retry "${readiness.line.fromTaskId}" first.`,
  );
}

const PENDING: TaskFacts = { status: 'pending', result: null, error: null };

/**
 * Tasks behind a retried one that were skipped and need not be any more. One that another failure blocks as well stays
 * skipped, and comes back when that one is retried.
 */
function unblockedBehind(run: Run, retried: TaskId): TaskId[] {
  const graph = graphOf(run.constellation);
  const back = new Set<TaskId>([retried]);
  const now = progressOf(run);
  const after: Progress = { ...now, factsOf: (taskId) => (back.has(taskId) ? PENDING : now.factsOf(taskId)) };
  for (const taskId of sortTasks(run.constellation, graph).order) {
    if (run.tasks.get(taskId)?.cancelCause?.kind !== 'blocked') continue;
    const lines = graph.incoming.get(taskId) ?? [];
    if (!lines.some((line) => back.has(line.fromTaskId))) continue;
    if (readinessBehind(after, lines).kind !== 'blocked') back.add(taskId);
  }
  back.delete(retried);
  return [...back];
}
