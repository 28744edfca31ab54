import type { LineId, TaskId } from '@/lib/std/ids';
import { type Graph, type Shape, sortTasks } from './graph';
import type { TaskStarLine } from './task-star';

/** What stands in a layer: a task, or the passage of a line on its way over the layer. Working data of one layout. */
export type Slot = {
  readonly content:
    | { readonly kind: 'task'; readonly taskId: TaskId }
    | { readonly kind: 'passage'; readonly lineId: LineId };
  /** Neighbours in the layer to the left and to the right. */
  readonly before: Slot[];
  readonly after: Slot[];
  /** Where it stands in its layer, from the top. */
  place: number;
  /** Its height on the plane, in pixels. */
  centre: number;
};

export type Layers = Slot[][];

/** Above so many passages lines are drawn straight on: their lanes would cost more than they are worth. */
const PASSAGES_MAX = 6_000;

/** Each task one layer behind its last prerequisite, and a passage for each layer that a line jumps over. */
export function layersOf(shape: Shape, graph: Graph, taskIds: readonly TaskId[]): Layers {
  const layerOf = longestPaths(shape, graph);
  const spanOf = (line: TaskStarLine) => (layerOf.get(line.toTaskId) ?? 0) - (layerOf.get(line.fromTaskId) ?? 0);
  const layers: Layers = [];
  const slotOf = new Map<TaskId, Slot>();
  for (const taskId of taskIds) {
    const slot = putSlot(layers, layerOf.get(taskId) ?? 0, { kind: 'task', taskId });
    slotOf.set(taskId, slot);
  }
  let passages = 0;
  for (const line of shape.lines.values()) passages += Math.max(0, spanOf(line) - 1);
  for (const line of shape.lines.values()) {
    const source = slotOf.get(line.fromTaskId);
    const target = slotOf.get(line.toTaskId);
    if (source === undefined || target === undefined) continue;
    const first = (layerOf.get(line.fromTaskId) ?? 0) + 1;
    const jumped = passages > PASSAGES_MAX ? 0 : spanOf(line) - 1;
    let last = source;
    for (let step = 0; step < jumped; step += 1) {
      const passage = putSlot(layers, first + step, { kind: 'passage', lineId: line.lineId });
      join(last, passage);
      last = passage;
    }
    join(last, target);
  }
  return layers;
}

/** Layers are filled from the left, so an index beyond the end only means that no task has stood there yet. */
function putSlot(layers: Layers, index: number, content: Slot['content']): Slot {
  while (layers.length <= index) layers.push([]);
  const slot: Slot = { content, before: [], after: [], place: 0, centre: 0 };
  const layer = layers[index];
  if (layer !== undefined) {
    slot.place = layer.length;
    layer.push(slot);
  }
  return slot;
}

function join(left: Slot, right: Slot): void {
  left.after.push(right);
  right.before.push(left);
}

/** Tasks of a cycle, which only a broken draft has, stay in the first layer. */
function longestPaths(shape: Shape, graph: Graph): ReadonlyMap<TaskId, number> {
  const layerOf = new Map<TaskId, number>();
  for (const taskId of sortTasks(shape, graph).order) {
    const own = layerOf.get(taskId) ?? 0;
    layerOf.set(taskId, own);
    for (const { toTaskId } of graph.outgoing.get(taskId) ?? []) {
      layerOf.set(toTaskId, Math.max(layerOf.get(toTaskId) ?? 0, own + 1));
    }
  }
  return layerOf;
}
