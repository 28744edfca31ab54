import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveBlocked } from './blocked';
import { fromDocument } from './constellation';
import { cyclePath } from './graph';
import { aChain, aLine, aPlan, type LineDraft } from './testing/a-plan';
import { topologicalOrder } from './testing/plan-lists';
import { validateConstellation } from './validate';

const shapeOf = (stars: readonly string[], lines: readonly LineDraft[]) => fromDocument(aPlan(stars, lines));
const rules = (stars: readonly string[], lines: readonly LineDraft[]) =>
  validateConstellation(shapeOf(stars, lines)).map(({ rule }) => rule);

test('a line that ends where it begins is a cycle', () => {
  expect(cyclePath(shapeOf(['a', 'b'], [['a', 'a']]))).toEqual(['a', 'a']);
});

test('two lines between one pair are no cycle', () => {
  expect(
    rules(
      ['a', 'b'],
      [
        ['a', 'b'],
        ['a', 'b', 'success_only'],
      ],
    ),
  ).toEqual([]);
});

test('tasks that merely hang on a cycle are not shown as part of it', () => {
  const lines: LineDraft[] = [
    ['a', 'b'],
    ['b', 'a'],
    ['b', 'tail'],
    ['tail', 'end'],
  ];
  expect(new Set(cyclePath(shapeOf(['tail', 'end', 'a', 'b'], lines)))).toEqual(new Set(['a', 'b']));
});

test('a cycle path follows the lines, whatever the graph', () => {
  const lines = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 25 });
  fc.assert(
    fc.property(lines, (pairs) => {
      const ids = Array.from({ length: 10 }, (_, index) => `t${index}`);
      const shape = shapeOf(
        ids,
        pairs.map(([from, to]): LineDraft => [`t${from}`, `t${to}`]),
      );
      const path = cyclePath(shape);
      const order = topologicalOrder(shape);
      expect(path === null).toBe(order !== null);
      for (const [index, id] of (path ?? []).slice(1).entries()) {
        const from = path?.[index];
        expect([...shape.lines.values()].some((line) => line.fromTaskId === from && line.toTaskId === id)).toBe(true);
      }
      if (order !== null) {
        const place = new Map(order.map((id, index) => [id, index]));
        for (const line of shape.lines.values()) {
          expect(place.get(line.fromTaskId)).toBeLessThan(place.get(line.toTaskId) ?? -1);
        }
      }
    }),
  );
});

test('ten thousand tasks in a chain, closed to a ring or not, cost no stack', () => {
  const chain = aChain(10_000);
  const shape = fromDocument(chain);
  expect(topologicalOrder(shape)).toHaveLength(10_000);
  const back = aLine(['s9999', 's0']);
  const ring = fromDocument({ ...chain, lines: [...chain.lines, back] });
  const [problem] = validateConstellation(ring);
  expect(problem?.rule === 'cycle' && problem.path.length).toBe(10_001);
  expect(problem?.message.length).toBeLessThan(300);
});

test('blocked chains are resolved in one pass, however long', () => {
  const shape = fromDocument(aChain(10_000));
  const { skipped, ready } = resolveBlocked({
    constellation: shape,
    factsOf: (taskId) => ({ status: taskId === 's0' ? 'failed' : 'pending', result: null, error: null }),
  });
  expect(skipped).toHaveLength(9_999);
  expect(ready).toEqual([]);
});
