import type { TaskId } from '@/lib/std/ids';
import type { Constellation } from './constellation';

/** Highest first. Stable, so that tasks of one priority keep the order in which they came. */
export function byPriority(constellation: Pick<Constellation, 'tasks'>, taskIds: readonly TaskId[]): TaskId[] {
  const priorityOf = (taskId: TaskId) => constellation.tasks.get(taskId)?.priority ?? 0;
  return [...taskIds].sort((one, other) => priorityOf(other) - priorityOf(one));
}
