import { expect, test } from 'vitest';
import { failureReasonIn } from './failure-reason';

const SKIPPED = { status: 'skipped', error: 'Skipped due to previous failure (early_exit=True).' };

test.each([
  ['a session without rounds', { failure: 'session_crashed' }, 'session_crashed'],
  ['the last round', [{ result: [{ error: 'old' }] }, { result: [{ error: 'new' }] }], 'new'],
  [
    'the command that failed, not those that were skipped after it',
    [{ request: 'x', result: [{ status: 'success', result: 'a' }, { status: 'failure', error: 'exit 1' }, SKIPPED] }],
    'exit 1',
  ],
  ['an error that is an object', { error: { code: 3, message: 'no such file' } }, 'no such file'],
  ['a failure without words, before one that was skipped', [{ status: 'failure', error: ' ' }, SKIPPED], SKIPPED.error],
])('the reason is taken from %s', (_title, result, reason) => {
  expect(failureReasonIn(result)).toBe(reason);
});

test.each([[undefined], [null], ['text'], [3], [[]], [{}], [[[{ result: null }]]], [{ error: 1, failure: [] }]])(
  '%j says nothing',
  (result) => {
    expect(failureReasonIn(result)).toBe('');
  },
);
