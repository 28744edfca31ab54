import { expect, test } from 'vitest';
import type { TaskFacts } from './condition';
import { type LineState, lineState } from './line-state';
import { DEPENDENCY_TYPES, type DependencyType, type TaskStatus } from './task-star';
import { aLine } from './testing/a-plan';

const facts = (status: TaskStatus, result: TaskFacts['result'] = null): TaskFacts => ({ status, result, error: null });

/** By the end of the prerequisite: completed, failed, cancelled. */
const TABLE: Record<DependencyType, readonly [LineState, LineState, LineState]> = {
  unconditional: ['met', 'met', 'met'],
  completion_only: ['met', 'met', 'met'],
  success_only: ['met', 'unmeetable', 'unmeetable'],
  conditional: ['met', 'unmeetable', 'unmeetable'],
};

test.each(DEPENDENCY_TYPES)('[R22] a line that is %s is decided by how its prerequisite ended', (type) => {
  const line = aLine(['a', 'b', type]);
  const ends = (['completed', 'failed', 'cancelled'] as const).map((status) => lineState(line, facts(status)));
  expect(ends).toEqual(TABLE[type]);
  expect(lineState(line, facts('pending'))).toBe('open');
  expect(lineState(line, facts('running'))).toBe('open');
});

test('[R22] a success that returned null, or an error object, decides nothing', () => {
  const line = aLine(['a', 'b', 'success_only']);
  expect(lineState(line, facts('completed', null))).toBe('met');
  expect(lineState(line, facts('failed', { error: 'x' }))).toBe('unmeetable');
});

const condition = { condition: { language: 'test', expression: 'x' } };

test('[R22] a condition decides for completed and failed prerequisites, and never for a cancelled one', () => {
  const line = aLine(['a', 'b', 'conditional', condition]);
  const always = () => true;
  expect(lineState(line, facts('completed'), always)).toBe('met');
  expect(lineState(line, facts('failed'), always)).toBe('met');
  expect(lineState(line, facts('cancelled'), always)).toBe('unmeetable');
  expect(lineState(line, facts('completed'), () => false)).toBe('unmeetable');
});

test.each([
  ['an unknown language', condition],
  ['no text in it', { condition: { language: 'test' } }],
  ['no shape at all', { condition: 'x > 3' }],
])('[R22] a condition with %s never holds', (_what, metadata) => {
  expect(lineState(aLine(['a', 'b', 'conditional', metadata]), facts('completed'))).toBe('unmeetable');
});

test('[R22] a line from nowhere cannot be met', () => {
  expect(lineState(aLine(['a', 'b']), undefined)).toBe('unmeetable');
});
