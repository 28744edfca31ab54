import type { LineId, TaskId } from '@/lib/std/ids';
import { type Graph, graphOf, type Shape } from './graph';
import { layersOf } from './layout-slots';
import { alignLayers, orderLayers } from './layout-sweeps';

/** Pixels at 100 % zoom. */
export const NODE_WIDTH = 232;
export const NODE_HEIGHT = 76;
export const LAYER_GAP = 56;
export const NODE_GAP = 20;

export type Point = { readonly x: number; readonly y: number };

export type Layout = {
  /** The upper left corner of each task's card. */
  readonly positions: ReadonlyMap<TaskId, Point>;
  /** For lines that pass over layers: where they run clear of the cards there, from left to right. */
  readonly bends: ReadonlyMap<LineId, readonly Point[]>;
  readonly width: number;
  readonly height: number;
};

const LAYER_PITCH = NODE_WIDTH + LAYER_GAP;
const NODE_PITCH = NODE_HEIGHT + NODE_GAP;
const PASSAGE_PITCH = 16;
const GRID = 8;

/**
 * A layered layout from left to right, snapped to a grid of 8 px. The same plan always looks the same, and state has no
 * part in it.
 *
 * Tasks without any line stand in a block of their own below the rest.
 */
export function layoutConstellation(shape: Shape): Layout {
  const graph = graphOf(shape);
  const linked: TaskId[] = [];
  const alone: TaskId[] = [];
  for (const taskId of shape.tasks.keys()) (isAlone(graph, taskId) ? alone : linked).push(taskId);
  const layers = layersOf(shape, graph, linked);
  orderLayers(layers);
  alignLayers(layers, { taskPitch: NODE_PITCH, passagePitch: PASSAGE_PITCH });

  const positions = new Map<TaskId, Point>();
  const bends = new Map<LineId, Point[]>();
  const top = highest(layers.flat().map(({ centre }) => centre));
  for (const [index, layer] of layers.entries()) {
    const x = index * LAYER_PITCH;
    for (const { content, centre } of layer) {
      const y = Math.round((centre - top) / GRID) * GRID;
      if (content.kind === 'task') positions.set(content.taskId, { x, y });
      else addBend(bends, content.lineId, { x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 });
    }
  }
  placeBlock(positions, alone);
  return { positions, bends, ...extentOf(positions) };
}

function isAlone(graph: Graph, taskId: TaskId): boolean {
  return graph.incoming.get(taskId)?.length === 0 && graph.outgoing.get(taskId)?.length === 0;
}

function highest(values: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) least = Math.min(least, value);
  return Number.isFinite(least) ? least : 0;
}

function addBend(bends: Map<LineId, Point[]>, lineId: LineId, point: Point): void {
  const known = bends.get(lineId);
  if (known === undefined) bends.set(lineId, [point]);
  else known.push(point);
}

/** About as wide as it is high, and at least as wide as four cards, filled row by row. */
function placeBlock(positions: Map<TaskId, Point>, taskIds: readonly TaskId[]): void {
  const { height } = extentOf(positions);
  const top = positions.size === 0 ? 0 : Math.ceil((height + NODE_GAP) / GRID) * GRID;
  const columns = Math.max(4, Math.ceil(Math.sqrt((taskIds.length * NODE_PITCH) / LAYER_PITCH)));
  for (const [index, taskId] of taskIds.entries()) {
    const x = (index % columns) * LAYER_PITCH;
    positions.set(taskId, { x, y: top + Math.floor(index / columns) * NODE_PITCH });
  }
}

function extentOf(positions: ReadonlyMap<TaskId, Point>): { readonly width: number; readonly height: number } {
  let width = 0;
  let height = 0;
  for (const { x, y } of positions.values()) {
    width = Math.max(width, x + NODE_WIDTH);
    height = Math.max(height, y + NODE_HEIGHT);
  }
  return { width, height };
}
