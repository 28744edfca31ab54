import { NODE_HEIGHT, NODE_WIDTH } from '@/lib/constellation/layout';

export type Point = { readonly x: number; readonly y: number };

/** A line between two cards by the cards' top left corners. */
export type LineEnds = {
  readonly id: string;
  readonly from: Point;
  readonly to: Point;
  /** Where it may pass the columns in between, in the middle of each; without them it keeps its row to the last gap. */
  readonly bends: readonly Point[];
};

/** Kept free beside a card, for the arrow head and the mark of the line's kind. */
const TARGET_CLEAR_PX = 26;
const SOURCE_CLEAR_PX = 8;

/**
 * Draws every line as horizontal and vertical pieces: out of the right side of one card, into the left side of the next.
 * It goes up and down only in the gaps between columns, in lanes: lines of one card share theirs, others have their own.
 */
export function routeLines(lines: readonly LineEnds[]): ReadonlyMap<string, readonly Point[]> {
  const columns = columnsOf(lines);
  const walks = new Map(lines.map((line) => [line.id, walkOf(line, columns)]));
  const lanes = lanesOf([...walks.values()], columns);
  return new Map(lines.map((line) => [line.id, drawn(line, walks.get(line.id) ?? [], lanes)]));
}

/** How a line crosses one gap: the column before it, and the rows on both sides. */
type Crossing = { readonly columnX: number; readonly fromY: number; readonly toY: number };

function columnsOf(lines: readonly LineEnds[]): readonly number[] {
  const columns = new Set<number>();
  for (const { from, to, bends } of lines) {
    columns.add(from.x).add(to.x);
    for (const bend of bends) columns.add(bend.x - NODE_WIDTH / 2);
  }
  return [...columns].sort((left, right) => left - right);
}

function walkOf({ from, to, bends }: LineEnds, columns: readonly number[]): readonly Crossing[] {
  const passed = columns.filter((column) => column > from.x && column < to.x);
  const bendY = new Map(bends.map((bend) => [bend.x - NODE_WIDTH / 2, bend.y]));
  const walk: Crossing[] = [];
  let columnX = from.x;
  let fromY = from.y + NODE_HEIGHT / 2;
  for (const column of passed) {
    const toY = bendY.get(column) ?? fromY;
    walk.push({ columnX, fromY, toY });
    columnX = column;
    fromY = toY;
  }
  walk.push({ columnX, fromY, toY: to.y + NODE_HEIGHT / 2 });
  return walk;
}

/** The x at which a crossing turns. */
type Lanes = (crossing: Crossing) => number;

/**
 * A card with many lines gathers them in one lane: those that leave it, or those that arrive. Which of a line's two ends
 * gathers is decided by which has more lines in this gap.
 */
function lanesOf(walks: readonly (readonly Crossing[])[], columns: readonly number[]): Lanes {
  const turning = walks.flat().filter(({ fromY, toY }) => fromY !== toY);
  const leaving = countBy(turning, ({ columnX, fromY }) => `${columnX} ${fromY}`);
  const arriving = countBy(turning, ({ columnX, toY }) => `${columnX} ${toY}`);
  const rowOf = ({ columnX, fromY, toY }: Crossing) =>
    (arriving.get(`${columnX} ${toY}`) ?? 0) > (leaving.get(`${columnX} ${fromY}`) ?? 0) ? toY : fromY;
  const rows = new Map<number, Set<number>>();
  for (const crossing of turning) {
    const known = rows.get(crossing.columnX) ?? new Set();
    rows.set(crossing.columnX, known.add(rowOf(crossing)));
  }
  const ranks = new Map(
    [...rows].map(([columnX, known]) => [columnX, [...known].sort((upper, lower) => upper - lower)]),
  );
  return (crossing) => {
    const { columnX } = crossing;
    const known = ranks.get(columnX) ?? [];
    const nextX = columns.find((column) => column > columnX) ?? columnX + NODE_WIDTH + 2 * TARGET_CLEAR_PX;
    const free = Math.max(0, nextX - columnX - NODE_WIDTH - SOURCE_CLEAR_PX - TARGET_CLEAR_PX);
    const share = (known.indexOf(rowOf(crossing)) + 1) / (known.length + 1);
    return columnX + NODE_WIDTH + SOURCE_CLEAR_PX + free * share;
  };
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

function drawn(line: LineEnds, walk: readonly Crossing[], lanes: Lanes): readonly Point[] {
  const points: Point[] = [{ x: line.from.x + NODE_WIDTH, y: line.from.y + NODE_HEIGHT / 2 }];
  for (const crossing of walk) {
    const x = lanes(crossing);
    if (crossing.fromY !== crossing.toY) points.push({ x, y: crossing.fromY }, { x, y: crossing.toY });
  }
  points.push({ x: line.to.x, y: line.to.y + NODE_HEIGHT / 2 });
  return tidy(points);
}

/** Without points that repeat or lie on a straight piece. */
function tidy(points: readonly Point[]): readonly Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    if (last !== undefined && last.x === point.x && last.y === point.y) continue;
    const before = kept.at(-2);
    const isStraight =
      last !== undefined &&
      before !== undefined &&
      ((before.x === last.x && last.x === point.x) || (before.y === last.y && last.y === point.y));
    if (isStraight) kept.pop();
    kept.push(point);
  }
  return kept;
}

/** The SVG path of a route, its corners rounded as far as the pieces allow. */
export function toPath(points: readonly Point[], radiusPx: number): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  let previous = first;
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    if (next === undefined) {
      path += `L${corner.x} ${corner.y}`;
      break;
    }
    const radius = Math.min(radiusPx, lengthOf(previous, corner) / 2, lengthOf(corner, next) / 2);
    const entry = towards(corner, previous, radius);
    const exit = towards(corner, next, radius);
    path += `L${entry.x} ${entry.y}Q${corner.x} ${corner.y} ${exit.x} ${exit.y}`;
    previous = corner;
  }
  return path;
}

function lengthOf(from: Point, to: Point): number {
  return Math.abs(from.x - to.x) + Math.abs(from.y - to.y);
}

function towards(from: Point, to: Point, distance: number): Point {
  return { x: from.x + Math.sign(to.x - from.x) * distance, y: from.y + Math.sign(to.y - from.y) * distance };
}
