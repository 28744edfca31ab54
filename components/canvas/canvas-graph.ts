import { type Edge, type Node, type NodeHandle, Position } from 'reactflow';
import type { Shape } from '@/lib/constellation/graph';
import { type Layout, NODE_HEIGHT, NODE_WIDTH } from '@/lib/constellation/layout';
import { assertNever } from '@/lib/std/assert-never';
import type { LineId, TaskId } from '@/lib/std/ids';
import { type Point, routeLines, toPath } from './route-lines';

/** Nothing but the id: a card reads its own task, so a change of state never touches this. */
export type TaskNode = Node<{ readonly taskId: TaskId }, 'task'>;
export type LineEdge = Edge<{ readonly lineId: LineId; readonly path: string; readonly end: Point }, 'line'>;

export type CanvasGraph = {
  readonly nodes: TaskNode[];
  readonly edges: LineEdge[];
  readonly positions: ReadonlyMap<TaskId, Point>;
};

const CORNER_PX = 8;

const HANDLES: NodeHandle[] = [
  { type: 'target', position: Position.Left, x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
  { type: 'source', position: Position.Right, x: NODE_WIDTH, y: NODE_HEIGHT / 2, width: 1, height: 1 },
];

/**
 * Nodes are measured beforehand: without it the first paint of a large plan takes ten times as long. They stand in reading
 * order (column by column), which is the order of the Tab key.
 */
export function toCanvasGraph(shape: Shape, { positions, bends }: Pick<Layout, 'positions' | 'bends'>): CanvasGraph {
  const placed = [...positions].sort(([, left], [, right]) => left.x - right.x || left.y - right.y);
  const nodes = placed.map(
    ([taskId, position]): TaskNode => ({
      id: taskId,
      type: 'task',
      position: { ...position },
      data: { taskId },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
      handles: HANDLES,
    }),
  );
  return { nodes, edges: toEdges(shape, { positions, bends }), positions };
}

function toEdges(shape: Shape, { positions, bends }: Pick<Layout, 'positions' | 'bends'>): LineEdge[] {
  const lines = [...shape.lines.values()].flatMap((line) => {
    const from = positions.get(line.fromTaskId);
    const to = positions.get(line.toTaskId);
    return from === undefined || to === undefined
      ? []
      : [{ id: line.lineId, line, from, to, bends: bends.get(line.lineId) ?? [] }];
  });
  const routes = routeLines(lines);
  return lines.map(({ line, to }): LineEdge => {
    const points = routes.get(line.lineId) ?? [];
    const end = points.at(-1) ?? to;
    return {
      id: line.lineId,
      type: 'line',
      source: line.fromTaskId,
      target: line.toTaskId,
      data: { lineId: line.lineId, path: toPath(points, CORNER_PX), end },
    };
  });
}

/** The same text for two plans that are drawn alike: only ids and lines move cards. */
export function shapeKey(shape: Shape): string {
  const lines = [...shape.lines.values()].map((line) => [line.lineId, line.fromTaskId, line.toTaskId]);
  return JSON.stringify([[...shape.tasks.keys()], lines]);
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The nearest card in a direction; cards straight ahead count before cards that lie aside. */
export function neighbourOf(
  positions: ReadonlyMap<TaskId, Point>,
  taskId: TaskId,
  direction: Direction,
): TaskId | undefined {
  const from = positions.get(taskId);
  if (from === undefined) return undefined;
  let nearest: TaskId | undefined;
  let nearestCost = Number.POSITIVE_INFINITY;
  for (const [candidate, at] of positions) {
    const { ahead, aside } = distances(from, at, direction);
    const cost = ahead + aside * 2;
    if (ahead <= 0 || cost >= nearestCost) continue;
    nearest = candidate;
    nearestCost = cost;
  }
  return nearest;
}

function distances(from: Point, to: Point, direction: Direction): { ahead: number; aside: number } {
  const across = { ahead: to.x - from.x, aside: Math.abs(to.y - from.y) };
  const down = { ahead: to.y - from.y, aside: Math.abs(to.x - from.x) };
  switch (direction) {
    case 'right':
      return across;
    case 'left':
      return { ...across, ahead: -across.ahead };
    case 'down':
      return down;
    case 'up':
      return { ...down, ahead: -down.ahead };
    default:
      return assertNever(direction);
  }
}
