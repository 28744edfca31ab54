import { expect, test } from 'vitest';
import { NODE_HEIGHT, NODE_WIDTH } from '@/lib/constellation/layout';
import { type Point, routeLines, toPath } from './route-lines';

const COLUMN_PX = NODE_WIDTH + 56;
const ROW_PX = NODE_HEIGHT + 20;
const card = (column: number, row: number): Point => ({ x: column * COLUMN_PX, y: row * ROW_PX });

/** How many cards a route runs through. */
function crossed(route: readonly Point[], cards: readonly Point[]): number {
  return cards.filter((box) =>
    route.some((point, index) => {
      const next = route[index + 1];
      if (next === undefined) return false;
      return (
        Math.max(point.x, next.x) > box.x &&
        Math.min(point.x, next.x) < box.x + NODE_WIDTH &&
        Math.max(point.y, next.y) > box.y &&
        Math.min(point.y, next.y) < box.y + NODE_HEIGHT
      );
    }),
  ).length;
}

test('cards side by side are joined by one straight line', () => {
  const cards = [card(0, 0), card(1, 0)];
  const route = routeLines([{ id: 'a', from: cards[0]!, to: cards[1]!, bends: [] }]).get('a');
  expect(route).toEqual([
    { x: NODE_WIDTH, y: 38 },
    { x: COLUMN_PX, y: 38 },
  ]);
});

test('every piece of a line is horizontal or vertical', () => {
  const cards = [card(0, 0), card(0, 1), card(1, 0), card(2, 2)];
  const routes = routeLines([
    { id: 'a', from: cards[0]!, to: cards[3]!, bends: [] },
    { id: 'b', from: cards[1]!, to: cards[2]!, bends: [] },
  ]);
  for (const route of routes.values()) {
    for (const [index, point] of route.entries()) {
      const next = route[index + 1];
      if (next !== undefined) expect(point.x === next.x || point.y === next.y).toBe(true);
    }
  }
});

test('a line over several layers goes around the cards in between', () => {
  const cards = [card(0, 0), card(1, 0), card(2, 0), card(3, 0)];
  const bends = [1, 2].map((column) => ({ x: column * COLUMN_PX + NODE_WIDTH / 2, y: ROW_PX + 38 }));
  const route = routeLines([{ id: 'a', from: cards[0]!, to: cards[3]!, bends }]).get('a')!;
  expect(crossed(route, [cards[1]!, cards[2]!])).toBe(0);
  expect(route.at(-1)).toEqual({ x: 3 * COLUMN_PX, y: 38 });
});

test('a line without a way around keeps its row until the gap before its end', () => {
  const cards = [card(0, 0), card(1, 3), card(2, 1)];
  const routes = routeLines([
    { id: 'a', from: cards[0]!, to: cards[2]!, bends: [] },
    { id: 'b', from: cards[0]!, to: cards[1]!, bends: [] },
  ]);
  expect(routes.get('a')?.[1]?.x).toBeGreaterThan(COLUMN_PX + NODE_WIDTH);
});

test('lines of two cards turn in lanes of their own, lines of one card share theirs', () => {
  const cards = [card(0, 0), card(0, 1), card(1, 2), card(1, 3)];
  const routes = routeLines([
    { id: 'a', from: cards[0]!, to: cards[2]!, bends: [] },
    { id: 'b', from: cards[1]!, to: cards[3]!, bends: [] },
    { id: 'c', from: cards[0]!, to: cards[3]!, bends: [] },
  ]);
  const laneOf = (id: string) => routes.get(id)?.[1]?.x;
  expect(laneOf('a')).not.toBe(laneOf('b'));
  expect(laneOf('a')).toBe(laneOf('c'));
});

test('many lines into one card come together in one lane', () => {
  const cards = [card(0, 0), card(0, 1), card(0, 2), card(1, 1)];
  const lines = [0, 2].map((row) => ({ id: `from-${row}`, from: cards[row]!, to: cards[3]!, bends: [] }));
  const routes = routeLines(lines);
  expect(routes.get('from-0')?.[1]?.x).toBe(routes.get('from-2')?.[1]?.x);
});

test('a path begins and ends at the ends of its route and rounds the corners between', () => {
  const path = toPath(
    [
      { x: 0, y: 0 },
      { x: 20, y: 0 },
      { x: 20, y: 40 },
      { x: 60, y: 40 },
    ],
    8,
  );
  expect(path).toBe('M0 0L12 0Q20 0 20 8L20 32Q20 40 28 40L60 40');
});
