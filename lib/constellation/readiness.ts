import type { TaskId } from '@/lib/std/ids';
import type { ConditionEvaluator, TaskFacts } from './condition';
import type { Constellation } from './constellation';
import { type Graph, incomingLines } from './graph';
import { lineState } from './line-state';
import type { TaskStarLine } from './task-star';

/** A plan and how far it has come. */
export type Progress = {
  readonly constellation: Pick<Constellation, 'tasks' | 'lines'>;
  readonly factsOf: (taskId: TaskId) => TaskFacts | undefined;
  readonly evaluate?: ConditionEvaluator;
};

/** Whether a pending task may run, and if not, the first line that stands in its way. */
export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting'; readonly line: TaskStarLine }
  | { readonly kind: 'blocked'; readonly line: TaskStarLine };

const READY: Readiness = { kind: 'ready' };

/** For one task. Asks only of lines: whether the task is pending is the caller's question. */
export function readinessOf(progress: Progress, taskId: TaskId): Readiness {
  return readinessBehind(progress, incomingLines(progress.constellation, taskId));
}

/** For every pending task, in one pass over the plan; tasks in other states have no entry. */
export function readinessByTask(progress: Progress, graph: Graph): ReadonlyMap<TaskId, Readiness> {
  const readiness = new Map<TaskId, Readiness>();
  for (const [taskId, lines] of graph.incoming) {
    if (progress.factsOf(taskId)?.status === 'pending') readiness.set(taskId, readinessBehind(progress, lines));
  }
  return readiness;
}

/** A blocked line counts before an open one: waiting on for the others would be in vain. */
export function readinessBehind(progress: Progress, lines: readonly TaskStarLine[]): Readiness {
  let open: TaskStarLine | undefined;
  for (const line of lines) {
    const state = lineState(line, progress.factsOf(line.fromTaskId), progress.evaluate);
    if (state === 'unmeetable') return { kind: 'blocked', line };
    if (state === 'open') open ??= line;
  }
  return open === undefined ? READY : { kind: 'waiting', line: open };
}
