import { expect, test } from 'vitest';
import { fromDocument } from '@/lib/constellation/constellation';
import { aPlan, aStar, type LineDraft } from '@/lib/constellation/testing/a-plan';
import { type TaskId, taskIdSchema } from '@/lib/std/ids';
import { neighbourOf, shapeKey, toCanvasGraph } from './canvas-graph';

const id = (text: string): TaskId => taskIdSchema.parse(text);
const plan = (stars: Parameters<typeof aPlan>[0], lines: readonly LineDraft[] = []) =>
  fromDocument(aPlan(stars, lines));

const POSITIONS = new Map([
  [id('b'), { x: 0, y: 96 }],
  [id('a'), { x: 0, y: 8 }],
  [id('c'), { x: 288, y: 48 }],
]);

test('a node holds its task id and nothing else of the task', () => {
  const { nodes } = toCanvasGraph(plan(['a', 'b', 'c'], [['a', 'c']]), { positions: POSITIONS, bends: new Map() });
  expect(nodes.map((node) => node.data)).toEqual([{ taskId: 'a' }, { taskId: 'b' }, { taskId: 'c' }]);
});

test('nodes stand in reading order, so Tab walks the plan from its beginning', () => {
  const { nodes } = toCanvasGraph(plan(['c', 'b', 'a']), { positions: POSITIONS, bends: new Map() });
  expect(nodes.map((node) => node.id)).toEqual(['a', 'b', 'c']);
});

test('a line whose end is nowhere is left out and the rest is drawn', () => {
  const { edges } = toCanvasGraph(
    plan(
      ['a', 'c'],
      [
        ['a', 'c'],
        ['a', 'ghost'],
      ],
    ),
    { positions: POSITIONS, bends: new Map() },
  );
  expect(edges.map((edge) => edge.id)).toEqual(['a->c']);
});

test('a new name or device leaves the picture as it is, a new line does not', () => {
  const before = shapeKey(plan(['a', 'b']));
  expect(shapeKey(plan([aStar('a', { name: 'renamed' }), aStar('b', { targetDeviceId: 'linux-2' })]))).toBe(before);
  expect(shapeKey(plan(['a', 'b'], [['a', 'b']]))).not.toBe(before);
});

test('arrow keys walk to the card that lies in that direction', () => {
  expect(neighbourOf(POSITIONS, id('a'), 'right')).toBe('c');
  expect(neighbourOf(POSITIONS, id('a'), 'down')).toBe('b');
  expect(neighbourOf(POSITIONS, id('c'), 'left')).toBe('a');
  expect(neighbourOf(POSITIONS, id('a'), 'left')).toBeUndefined();
});
