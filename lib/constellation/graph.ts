import type { TaskId } from '@/lib/std/ids';
import type { Constellation } from './constellation';
import type { TaskStarLine } from './task-star';

/** Lines by the task at either end, in the order of the file. Every task has an entry. */
export type Graph = {
  readonly incoming: ReadonlyMap<TaskId, readonly TaskStarLine[]>;
  readonly outgoing: ReadonlyMap<TaskId, readonly TaskStarLine[]>;
};

/** Tasks and lines are all that the shape of a plan is made of. */
export type Shape = Pick<Constellation, 'tasks' | 'lines'>;

/** Lines with an end at no task are left out; `validateConstellation` names them. */
export function graphOf(shape: Shape): Graph {
  const incoming = new Map<TaskId, TaskStarLine[]>();
  const outgoing = new Map<TaskId, TaskStarLine[]>();
  for (const taskId of shape.tasks.keys()) {
    incoming.set(taskId, []);
    outgoing.set(taskId, []);
  }
  for (const line of shape.lines.values()) {
    const into = incoming.get(line.toTaskId);
    const outOf = outgoing.get(line.fromTaskId);
    if (into === undefined || outOf === undefined) continue;
    into.push(line);
    outOf.push(line);
  }
  return { incoming, outgoing };
}

/** The lines that end at one task, without building the whole graph. */
export function incomingLines(shape: Shape, taskId: TaskId): TaskStarLine[] {
  const lines: TaskStarLine[] = [];
  for (const line of shape.lines.values()) if (line.toTaskId === taskId) lines.push(line);
  return lines;
}

/** Kahn's order, first in first out, and what stays behind because it is in or after a cycle. */
export type Sorting = { readonly order: readonly TaskId[]; readonly left: ReadonlySet<TaskId> };

export function sortTasks(shape: Shape, graph: Graph): Sorting {
  const openLines = new Map<TaskId, number>();
  const order: TaskId[] = [];
  for (const [taskId, lines] of graph.incoming) {
    openLines.set(taskId, lines.length);
    if (lines.length === 0) order.push(taskId);
  }
  for (let index = 0; index < order.length; index += 1) {
    const taskId = order[index];
    if (taskId === undefined) break;
    openLines.delete(taskId);
    for (const line of graph.outgoing.get(taskId) ?? []) {
      const left = (openLines.get(line.toTaskId) ?? 0) - 1;
      openLines.set(line.toTaskId, left);
      if (left === 0) order.push(line.toTaskId);
    }
  }
  return { order, left: new Set(shape.tasks.size === order.length ? [] : openLines.keys()) };
}

/**
 * One concrete cycle along the lines, its first task repeated at its end; null when there is none.
 *
 * Every task that sorting leaves behind has a prerequisite that was left behind too, so walking backwards must come
 * round to a task that was seen.
 */
export function cyclePath(shape: Shape): readonly TaskId[] | null {
  const graph = graphOf(shape);
  const { left } = sortTasks(shape, graph);
  const [start] = left;
  if (start === undefined) return null;
  const seenAt = new Map<TaskId, number>();
  const walked: TaskId[] = [];
  let current: TaskId | undefined = start;
  while (current !== undefined && !seenAt.has(current)) {
    seenAt.set(current, walked.length);
    walked.push(current);
    current = graph.incoming.get(current)?.find((line) => left.has(line.fromTaskId))?.fromTaskId;
  }
  if (current === undefined) return null;
  const cycle = walked.slice(seenAt.get(current)).reverse();
  const [first] = cycle;
  return first === undefined ? null : [...cycle, first];
}
