import { expect, test } from 'vitest';
import { taskIdSchema } from '@/lib/std/ids';
import { isBehind, NO_OUTPUT, nextLine, withPiece } from './task-output';

const piece = (start: number, lines: string[], more: { attempt?: number | null; first?: number } = {}) => ({
  attempt: more.attempt === undefined ? 1 : more.attempt,
  is_live: true,
  first_line: more.first ?? 0,
  start_line: start,
  next_line: start + lines.length,
  lines,
});
const mark = (attempt: number, next: number) => ({
  taskId: taskIdSchema.parse('a'),
  attempt,
  isLive: true,
  firstLine: 0,
  nextLine: next,
});

test('pieces are put one behind the other', () => {
  const copy = withPiece(withPiece(NO_OUTPUT, piece(0, ['a', 'b'])), piece(2, ['c']));
  expect(copy).toEqual({ attempt: 1, firstLine: 0, lines: ['a', 'b', 'c'] });
  expect(nextLine(copy)).toBe(3);
});

test('what the relay has left out is left out here, so that the copy never grows beyond it', () => {
  const copy = withPiece(withPiece(NO_OUTPUT, piece(0, ['a', 'b'])), piece(2, ['c'], { first: 1 }));
  expect(copy).toEqual({ attempt: 1, firstLine: 1, lines: ['b', 'c'] });
});

test('after a gap, and with a new attempt, what came stands alone', () => {
  const copy = withPiece(NO_OUTPUT, piece(0, ['a']));
  expect(withPiece(copy, piece(7, ['h'], { first: 7 }))).toEqual({ attempt: 1, firstLine: 7, lines: ['h'] });
  expect(withPiece(copy, piece(0, [], { attempt: 2 }))).toEqual({ attempt: 2, firstLine: 0, lines: [] });
});

test('what is shown stays when the relay has nothing any more', () => {
  const copy = withPiece(NO_OUTPUT, piece(0, ['a']));
  expect(withPiece(copy, piece(0, [], { attempt: null }))).toBe(copy);
});

test('a copy is behind when there are more lines, or another attempt with something to say or to clear', () => {
  const copy = withPiece(NO_OUTPUT, piece(0, ['a']));
  expect(isBehind(copy, mark(1, 1))).toBe(false);
  expect(isBehind(copy, mark(1, 2))).toBe(true);
  expect(isBehind(copy, mark(2, 0))).toBe(true);
  expect(isBehind(NO_OUTPUT, mark(1, 0))).toBe(false);
  expect(isBehind(NO_OUTPUT, mark(1, 1))).toBe(true);
});
