import { byPriority } from '@/lib/constellation/by-priority';
import { graphOf, type Shape, sortTasks } from '@/lib/constellation/graph';
import { type Progress, type Readiness, readinessByTask } from '@/lib/constellation/readiness';
import type { TaskId } from '@/lib/std/ids';

function tasksThatAre(kind: Readiness['kind'], progress: Progress): TaskId[] {
  const all = [...readinessByTask(progress, graphOf(progress.constellation))];
  return all.filter(([, readiness]) => readiness.kind === kind).map(([taskId]) => taskId);
}

/** The lists of the reference: tasks that may run, most urgent first. */
export function readyTasks(progress: Progress): TaskId[] {
  return byPriority(progress.constellation, tasksThatAre('ready', progress));
}

/** Tasks that cannot run as things stand, in the order of the plan. */
export function blockedTasks(progress: Progress): TaskId[] {
  return tasksThatAre('blocked', progress);
}

/** Null when the lines form a cycle. */
export function topologicalOrder(shape: Shape): readonly TaskId[] | null {
  const { order, left } = sortTasks(shape, graphOf(shape));
  return left.size === 0 ? order : null;
}
