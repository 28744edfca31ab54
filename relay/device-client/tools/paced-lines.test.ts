import { expect, test } from 'vitest';
import { until } from '@/relay/device-client/testing/programs';
import { createPacedLines, type PacedLines } from './paced-lines';

function collecting(): { readonly told: string[]; readonly paced: PacedLines } {
  const told: string[] = [];
  return { told, paced: createPacedLines((line) => told.push(line)) };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

test('lines that come at a bearable rate are told at once', () => {
  const { told, paced } = collecting();
  paced.write(Buffer.from('one\ntwo\nth'));
  expect(told).toEqual(['one', 'two']);
  paced.write(Buffer.from('ree\n'));
  expect(told).toEqual(['one', 'two', 'three']);
  paced.end();
  expect(told).toEqual(['one', 'two', 'three']);
});

test('a character that arrives in parts is one character', () => {
  const { told, paced } = collecting();
  for (const byte of Buffer.from('grün €\n')) paced.write(Buffer.from([byte]));
  paced.end();
  expect(told).toEqual(['grün €']);
});

test('a burst comes bit by bit, whole, and without another word of the program', async () => {
  const { told, paced } = collecting();
  paced.write(Buffer.from(numbered(0, 3_000)));
  expect(told.length).toBeLessThan(3_000);
  await until('all lines are told', () => told.length === 3_000 || undefined);
  expect(told.join('\n')).toBe(numbered(0, 3_000).trimEnd());
  paced.end();
});

test('at its end a program has said everything that still waited', () => {
  const { told, paced } = collecting();
  paced.write(Buffer.from(numbered(0, 3_000)));
  paced.end();
  expect(told).toHaveLength(3_000);
});

test('of a flood the newest lines are told, in order, and how many are missing', () => {
  const { told, paced } = collecting();
  const all = Buffer.from(numbered(0, 500_000));
  for (let from = 0; from < all.byteLength; from += 65_536) paced.write(all.subarray(from, from + 65_536));
  paced.end();

  const gaps = told.filter((line) => line.startsWith('['));
  expect(gaps.length).toBeGreaterThan(0);
  for (const gap of gaps) expect(gap).toMatch(/^\[\d+ lines left out\]$/);
  expect(told.length).toBeLessThan(100_000);
  const numbers = told.flatMap((line) => /^line (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(numbers.at(-1)).toBe(499_999);
  const missing = gaps.reduce((sum, gap) => sum + Number.parseInt(gap.slice(1), 10), 0);
  // A line that had begun before a gap is told and counted.
  expect(missing + told.length - gaps.length - 500_000).toBeLessThanOrEqual(gaps.length);
  expect(missing + told.length - gaps.length).toBeGreaterThanOrEqual(500_000);
});

test('a flood without any end of a line fills no memory and is told in pieces', () => {
  const { told, paced } = collecting();
  for (let round = 0; round < 100; round += 1) paced.write(Buffer.alloc(65_536, 'x'));
  paced.end();
  expect(told.join('').length).toBeLessThan(300_000);
  expect(told).toContain('[1 lines left out]');
});
