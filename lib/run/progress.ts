import type { TaskFacts } from '@/lib/constellation/condition';
import { type Graph, graphOf } from '@/lib/constellation/graph';
import { type Progress, type Readiness, readinessByTask, readinessOf } from '@/lib/constellation/readiness';
import type { TaskId } from '@/lib/std/ids';
import { isTerminal, liveAttempt, type Run, type TaskRun } from './run';

/** The run as its plan sees it: how each task ended. */
export function progressOf(run: Run): Progress {
  return { constellation: run.constellation, factsOf: (taskId) => factsOf(run.tasks.get(taskId)) };
}

/**
 * A task that waits in a device's queue is stored as pending, but to the plan it is under way: it is neither ready nor
 * blocked any more. A result that lies in a blob is not at hand, so a condition sees null.
 */
function factsOf(task: TaskRun | undefined): TaskFacts | undefined {
  if (task === undefined) return undefined;
  if (liveAttempt(task) !== undefined) return { status: 'running', result: null, error: null };
  const result = task.status === 'completed' && task.result.kind === 'inline' ? task.result.value : null;
  return { status: task.status, result, error: task.error };
}

/** Whether a pending task may run; for one task, whatever its status. */
export function readinessOfTask(run: Run, taskId: TaskId): Readiness {
  return readinessOf(progressOf(run), taskId);
}

/**
 * Readiness of every pending task without a live attempt, in one pass. The graph may be kept as long as the lines of the
 * plan stay the same.
 */
export function readinessOfRun(run: Run, graph: Graph = graphOf(run.constellation)): ReadonlyMap<TaskId, Readiness> {
  return readinessByTask(progressOf(run), graph);
}

export function allTasksEnded(run: Run): boolean {
  for (const task of run.tasks.values()) if (!isTerminal(task.status)) return false;
  return true;
}
