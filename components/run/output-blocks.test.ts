import { expect, test } from 'vitest';
import { blocksOf } from './output-blocks';

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

test('no lines are no blocks', () => {
  expect(blocksOf([], 7)).toEqual([]);
});

test('every line is in one block, in order, also the empty ones', () => {
  const lines = ['', 'a', '', ''];
  expect(blocksOf(lines, 0)).toEqual([{ number: 0, content: '\na\n\n\n' }]);
  const many = numbered(37, 240);
  const whole = blocksOf(many, 37).map(({ content }) => content);
  expect(whole.join('')).toBe(`${many.join('\n')}\n`);
});

test('a block in the middle is the same after lines came and went at the ends', () => {
  const before = blocksOf(numbered(0, 200), 0);
  const after = blocksOf(numbered(30, 260), 30);
  const of = (blocks: typeof before, number: number) => blocks.find((block) => block.number === number)?.content;
  expect(of(after, 2)).toBe(of(before, 2));
  expect(after[0]?.number).toBe(0);
});
