import type { Run, TaskRun } from './run';
import type { RunSummary } from './run-summary';

/** The row of a run in the list of runs. */
export function summaryOf(run: Run): RunSummary {
  const counts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  let first: TaskRun | undefined;
  for (const task of run.tasks.values()) {
    counts[task.status] += 1;
    if (task.status === 'failed' && endedBefore(task, first)) first = task;
  }
  return {
    runId: run.runId,
    constellationId: run.constellation.constellationId,
    name: run.constellation.name,
    state: run.state,
    createdAtMs: run.createdAtMs,
    createdBy: run.createdBy,
    launchedAtMs: run.launchedAtMs,
    startedAtMs: run.startedAtMs,
    endedAtMs: run.endedAtMs,
    taskCount: run.tasks.size,
    counts,
    firstFailure: first === undefined ? null : failureOf(run, first),
  };
}

/** Failures without a time, as a file may have them, come last. */
function endedBefore(task: TaskRun, other: TaskRun | undefined): boolean {
  if (other === undefined) return true;
  return (task.endedAtMs ?? Number.POSITIVE_INFINITY) < (other.endedAtMs ?? Number.POSITIVE_INFINITY);
}

const ERROR_SHOWN_MAX = 500;

function failureOf(run: Run, task: TaskRun): RunSummary['firstFailure'] {
  const name = run.constellation.tasks.get(task.taskId)?.name ?? task.taskId;
  return { taskId: task.taskId, name, error: (task.error ?? 'failed without an error text').slice(0, ERROR_SHOWN_MAX) };
}
