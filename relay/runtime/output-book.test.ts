import { expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { outputMarkSchema } from '@/lib/relay-protocol/output';
import { runStream } from '@/lib/relay-protocol/streams';
import { runIdSchema, taskIdSchema } from '@/lib/std/ids';
import { createOutputBook } from './output-book';
import type { Register } from './runtime-port';

const RUN = runIdSchema.parse('1'.repeat(32));
const STREAM = runStream(RUN);
const TRY = { runId: RUN, taskId: taskIdSchema.parse('a'), attempt: 1 };

function aBook() {
  const clock = createFakeClock();
  const published: Register[] = [];
  const book = createOutputBook(clock, (register) => published.push(register));
  return { clock, published, book, texts: () => book.read(TRY, 0)?.lines };
}

test('lines are read from any number on, and a number that is gone gives all that is kept', () => {
  const { book } = aBook();
  book.begin(TRY, true);
  book.add(TRY, ['one', 'two', 'three']);
  const all = { attempt: 1, isLive: true, firstLine: 0, startLine: 0, nextLine: 3, lines: ['one', 'two', 'three'] };
  expect(book.read(TRY, 0)).toEqual(all);
  expect(book.read(TRY, 2)).toEqual({ ...all, startLine: 2, lines: ['three'] });
  expect(book.read(TRY, 3)).toEqual({ ...all, startLine: 3, lines: [] });
  expect(book.read(TRY, 99)).toEqual(all);
  expect(book.read({ ...TRY, taskId: taskIdSchema.parse('b') }, 0)).toBeUndefined();
});

test('the newest 64 KiB stay, counted in UTF-8', () => {
  const { book } = aBook();
  book.begin(TRY, true);
  for (let at = 0; at < 100; at += 1) book.add(TRY, [`${at} ${'ü'.repeat(1_000)}`]);
  const output = book.read(TRY, 0);
  const bytes = (output?.lines ?? []).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  expect(bytes).toBeLessThanOrEqual(65_536);
  expect(bytes).toBeGreaterThan(63_000);
  expect(output?.nextLine).toBe(100);
  expect(output?.lines[0]?.startsWith(`${output.firstLine} `)).toBe(true);
});

test('a flood is published five times a second, and the last mark says all', async () => {
  const { book, clock, published } = aBook();
  book.begin(TRY, true);
  for (let at = 0; at < 1_000; at += 1) {
    book.add(TRY, ['line']);
    await clock.advance(1);
  }
  await clock.advance(200);
  expect(published.length).toBeLessThanOrEqual(7);
  expect(outputMarkSchema.parse(published.at(-1)?.value)).toMatchObject({ taskId: 'a', nextLine: 1_000 });
  const versions = published.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  expect(book.registers(STREAM)).toEqual([published.at(-1)]);
});

test('a new attempt begins empty under the same key, and lines of the old one change nothing', () => {
  const { book, published, texts } = aBook();
  book.begin(TRY, true);
  book.add(TRY, ['old']);
  book.begin({ ...TRY, attempt: 2 }, false);
  book.add(TRY, ['late']);
  expect(texts()).toEqual([]);
  expect(new Set(published.map(({ key }) => key)).size).toBe(1);
  expect(published.at(-1)?.value).toMatchObject({ attempt: 2, isLive: false });
});

test('the outputs of a thousand tasks are kept; those that are over go first, the oldest of them', () => {
  const { book } = aBook();
  const tryOf = (name: string) => ({ ...TRY, taskId: taskIdSchema.parse(name) });
  for (let at = 0; at < 1_000; at += 1) book.begin(tryOf(`t${at}`), true);
  book.end(tryOf('t5'));
  book.begin(tryOf('x'), true);
  expect(book.read(tryOf('t5'), 0)).toBeUndefined();
  expect(book.read(tryOf('t0'), 0)).toBeDefined();
  book.begin(tryOf('y'), true);
  expect(book.read(tryOf('t0'), 0)).toBeUndefined();
  expect(book.registers(STREAM)).toHaveLength(1_000);
});

test('a task whose id is longer than a key has a register all the same', () => {
  const { book } = aBook();
  book.begin({ ...TRY, taskId: taskIdSchema.parse('x'.repeat(256)) }, true);
  expect(book.registers(STREAM)[0]?.key.length).toBeLessThan(256);
});

test('a closed book has no timers left', async () => {
  const { book, clock, published } = aBook();
  book.begin(TRY, true);
  book.add(TRY, ['a']);
  book.close();
  await clock.advance(1_000);
  expect(published).toHaveLength(1);
});
