import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromDocument } from './constellation';
import { graphOf } from './graph';
import { LAYER_GAP, type Layout, layoutConstellation, NODE_GAP, NODE_HEIGHT, NODE_WIDTH } from './layout';
import { aChain, aPlan, type LineDraft } from './testing/a-plan';

const layoutOf = (stars: readonly string[], lines: readonly LineDraft[] = []) =>
  layoutConstellation(fromDocument(aPlan(stars, lines)));

const at = ({ positions }: Layout, id: string) => {
  for (const [taskId, point] of positions) if (taskId === id) return point;
  throw new Error(`no position for ${id}`);
};

test('a chain runs straight from left to right', () => {
  const layout = layoutConstellation(fromDocument(aChain(3)));
  const pitch = NODE_WIDTH + LAYER_GAP;
  expect([...layout.positions.values()]).toEqual([
    { x: 0, y: 0 },
    { x: pitch, y: 0 },
    { x: 2 * pitch, y: 0 },
  ]);
  expect(layout).toMatchObject({ width: 2 * pitch + NODE_WIDTH, height: NODE_HEIGHT });
});

test('the root of a fan stands in the middle of its leaves', () => {
  const layout = layoutOf(
    ['r', 'a', 'b', 'c'],
    [
      ['r', 'a'],
      ['r', 'b'],
      ['r', 'c'],
    ],
  );
  expect(at(layout, 'r').y).toBe(at(layout, 'b').y);
});

test('lines that would cross are drawn side by side', () => {
  const layout = layoutOf(
    ['a', 'b', 'x', 'y'],
    [
      ['a', 'y'],
      ['b', 'x'],
    ],
  );
  expect(Math.sign(at(layout, 'a').y - at(layout, 'b').y)).toBe(Math.sign(at(layout, 'y').y - at(layout, 'x').y));
});

test('a line that passes over a layer has a lane of its own there', () => {
  const layout = layoutOf(
    ['a', 'b', 'c'],
    [
      ['a', 'b'],
      ['b', 'c'],
      ['a', 'c'],
    ],
  );
  const [bends] = [...layout.bends.values()];
  expect(bends).toHaveLength(1);
  const lane = bends?.[0]?.y ?? 0;
  const card = at(layout, 'b').y;
  expect(lane < card || lane > card + NODE_HEIGHT).toBe(true);
});

test('tasks without lines stand in a block below, not in one endless column', () => {
  const layout = layoutOf(['a', 'b', ...Array.from({ length: 100 }, (_, index) => `x${index}`)], [['a', 'b']]);
  expect(layout.height).toBeLessThan(3_000);
  expect(at(layout, 'x0').y).toBeGreaterThanOrEqual(at(layout, 'a').y + NODE_HEIGHT + NODE_GAP);
});

test('an empty plan takes no room', () => {
  expect(layoutOf([])).toMatchObject({ width: 0, height: 0 });
});

const anyPlan = fc
  .array(fc.tuple(fc.nat(29), fc.nat(29)), { maxLength: 60 })
  .map((pairs) =>
    pairs
      .filter(([from, to]) => from !== to)
      .map(([from, to]): LineDraft => [`t${Math.min(from, to)}`, `t${Math.max(from, to)}`]),
  );
const IDS = Array.from({ length: 30 }, (_, index) => `t${index}`);

test('whatever the plan: no two cards touch, every line leads to the right, all is on the grid, twice the same', () => {
  fc.assert(
    fc.property(anyPlan, (lines) => {
      const shape = fromDocument(aPlan(IDS, lines));
      const layout = layoutConstellation(shape);
      expect(layout.positions.size).toBe(IDS.length);
      const points = [...layout.positions.values()];
      for (const { x, y } of points) expect([x % 8, y % 8, x >= 0, y >= 0]).toEqual([0, 0, true, true]);
      for (const [index, one] of points.entries()) {
        for (const other of points.slice(index + 1)) {
          const apart =
            Math.abs(one.x - other.x) >= NODE_WIDTH + LAYER_GAP || Math.abs(one.y - other.y) >= NODE_HEIGHT + NODE_GAP;
          expect(apart).toBe(true);
        }
      }
      for (const into of graphOf(shape).incoming.values()) {
        for (const line of into) expect(at(layout, line.fromTaskId).x).toBeLessThan(at(layout, line.toTaskId).x);
      }
      expect(layoutConstellation(shape)).toEqual(layout);
    }),
    { numRuns: 60 },
  );
});
