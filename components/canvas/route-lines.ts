import { NODE_HEIGHT_PX, NODE_WIDTH_PX } from './node-size';

export type Point = { readonly x: number; readonly y: number };

/** A line between two cards by the cards' top left corners. */
export type LineEnds = { readonly id: string; readonly from: Point; readonly to: Point };

/** Kept free beside a card, for the arrow head and the mark of the line's kind. */
const TARGET_CLEAR_PX = 26;
const SOURCE_CLEAR_PX = 8;
/** Between a line that passes and the card that it passes by. */
const PASS_GAP_PX = 10;

/**
 * Draws every line as horizontal and vertical pieces: out of the right side of one card, into the left side of the next.
 *
 * Lines of one card share a vertical lane, lines of different cards get lanes of their own. A line over several layers
 * takes the row that crosses the fewest cards.
 *
 * @param cards - top left corners of all cards
 */
export function routeLines(lines: readonly LineEnds[], cards: readonly Point[]): ReadonlyMap<string, readonly Point[]> {
  const gaps = gapsOf(lines, cards);
  const routes = new Map<string, readonly Point[]>();
  for (const line of lines) routes.set(line.id, route(line, cards, gaps));
  return routes;
}

type Gaps = {
  /** Where lines out of this card go up or down, in the free strip to the right of its column. */
  readonly laneX: (columnX: number, sourceY: number) => number;
  readonly columnBefore: (columnX: number) => number | undefined;
};

function gapsOf(lines: readonly LineEnds[], cards: readonly Point[]): Gaps {
  const columns = [...new Set(cards.map((card) => card.x))].sort((left, right) => left - right);
  const sources = new Map<number, number[]>();
  for (const line of lines) {
    const rows = sources.get(line.from.x) ?? [];
    if (!rows.includes(line.from.y)) rows.push(line.from.y);
    sources.set(line.from.x, rows);
  }
  for (const rows of sources.values()) rows.sort((upper, lower) => upper - lower);
  const widthAfter = (columnX: number) => {
    const next = columns.find((column) => column > columnX);
    return next === undefined ? TARGET_CLEAR_PX * 2 : next - columnX - NODE_WIDTH_PX;
  };
  return {
    laneX: (columnX, sourceY) => {
      const rows = sources.get(columnX) ?? [];
      const free = Math.max(0, widthAfter(columnX) - SOURCE_CLEAR_PX - TARGET_CLEAR_PX);
      const rank = Math.max(0, rows.indexOf(sourceY));
      return columnX + NODE_WIDTH_PX + SOURCE_CLEAR_PX + (free * (rank + 1)) / (rows.length + 1);
    },
    columnBefore: (columnX) => columns.filter((column) => column < columnX).at(-1),
  };
}

function route(line: LineEnds, cards: readonly Point[], gaps: Gaps): readonly Point[] {
  const start = { x: line.from.x + NODE_WIDTH_PX, y: line.from.y + NODE_HEIGHT_PX / 2 };
  const end = { x: line.to.x, y: line.to.y + NODE_HEIGHT_PX / 2 };
  const turnX = gaps.laneX(line.from.x, line.from.y);
  const lastColumn = gaps.columnBefore(line.to.x);
  if (start.y === end.y && !runsThroughCard(start, end, cards)) return [start, end];
  if (lastColumn === undefined || lastColumn <= line.from.x) {
    return tidy([start, { x: turnX, y: start.y }, { x: turnX, y: end.y }, end]);
  }
  const backX = gaps.laneX(lastColumn, line.from.y);
  const rowY = bestRow(start, end, cards);
  return tidy([
    start,
    { x: turnX, y: start.y },
    { x: turnX, y: rowY },
    { x: backX, y: rowY },
    { x: backX, y: end.y },
    end,
  ]);
}

/** The row of either end, or one just above or below the cards in between; fewest cards crossed, then shortest way. */
function bestRow(start: Point, end: Point, cards: readonly Point[]): number {
  const between = cards.filter((card) => card.x >= start.x && card.x + NODE_WIDTH_PX <= end.x);
  const rows = [end.y, start.y];
  for (const card of between) rows.push(card.y - PASS_GAP_PX, card.y + NODE_HEIGHT_PX + PASS_GAP_PX);
  let best = end.y;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const crossed = between.filter((card) => row > card.y - 4 && row < card.y + NODE_HEIGHT_PX + 4).length;
    const cost = crossed * 100_000 + Math.abs(row - start.y) + Math.abs(row - end.y);
    if (cost < bestCost) {
      best = row;
      bestCost = cost;
    }
  }
  return best;
}

/** For two points on one row. */
function runsThroughCard(start: Point, end: Point, cards: readonly Point[]): boolean {
  return cards.some(
    (card) =>
      card.x >= start.x && card.x + NODE_WIDTH_PX <= end.x && start.y > card.y && start.y < card.y + NODE_HEIGHT_PX,
  );
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
