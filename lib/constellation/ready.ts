import type { TaskId } from '@/lib/std/ids';
import type { Constellation } from './constellation';
import { graphOf } from './graph';
import { type Progress, readinessByTask } from './readiness';

/** Pending tasks whose every incoming line is met: by priority, highest first, then as they stand in the plan. */
export function readyTasks(progress: Progress): TaskId[] {
  const ready: TaskId[] = [];
  for (const [taskId, readiness] of readinessByTask(progress, graphOf(progress.constellation))) {
    if (readiness.kind === 'ready') ready.push(taskId);
  }
  return byPriority(progress.constellation, ready);
}

/** Stable, so that tasks of one priority keep the order in which they came. */
export function byPriority(constellation: Pick<Constellation, 'tasks'>, taskIds: readonly TaskId[]): TaskId[] {
  const priorityOf = (taskId: TaskId) => constellation.tasks.get(taskId)?.priority ?? 0;
  return [...taskIds].sort((one, other) => priorityOf(other) - priorityOf(one));
}
