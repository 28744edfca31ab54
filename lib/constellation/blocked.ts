import type { TaskId } from '@/lib/std/ids';
import type { TaskFacts } from './condition';
import { graphOf, sortTasks } from './graph';
import { type Progress, readinessBehind } from './readiness';
import type { TaskStarLine } from './task-star';

/** A pending task that cannot run as things stand, and the line that forbids it. */
export type BlockedTask = { readonly taskId: TaskId; readonly line: TaskStarLine };

const SKIPPED: TaskFacts = { status: 'cancelled', result: null, error: null };

export type Resolution = {
  /** Tasks to be skipped, prerequisites before what hangs on them. */
  readonly skipped: readonly BlockedTask[];
  /** Tasks that are ready once those are skipped, in the order of the plan. */
  readonly ready: readonly TaskId[];
};

/**
 * What skipping every blocked task leads to: successors of a skipped task follow their own line type, so some are
 * skipped in turn and others become ready. One pass in topological order, however long the chain.
 */
export function resolveBlocked(progress: Progress): Resolution {
  const graph = graphOf(progress.constellation);
  const skipped = new Map<TaskId, BlockedTask>();
  const ready = new Set<TaskId>();
  const factsOf = (taskId: TaskId) => (skipped.has(taskId) ? SKIPPED : progress.factsOf(taskId));
  const after: Progress = { ...progress, factsOf };
  for (const taskId of sortTasks(progress.constellation, graph).order) {
    if (progress.factsOf(taskId)?.status !== 'pending') continue;
    const readiness = readinessBehind(after, graph.incoming.get(taskId) ?? []);
    if (readiness.kind === 'blocked') skipped.set(taskId, { taskId, line: readiness.line });
    if (readiness.kind === 'ready') ready.add(taskId);
  }
  const inOrder = [...progress.constellation.tasks.keys()].filter((taskId) => ready.has(taskId));
  return { skipped: [...skipped.values()], ready: inOrder };
}
