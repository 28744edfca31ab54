import { expect, test } from 'vitest';
import type { TaskResult } from '@/lib/run/run';
import { deviceIdSchema, runIdSchema, sessionIdSchema, taskIdSchema } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';
import type { AttemptOrder } from './link-host';
import { endedReport } from './translate';

const ORDER: AttemptOrder = {
  runId: runIdSchema.parse('1'.repeat(32)),
  taskId: taskIdSchema.parse('a'),
  attempt: 1,
  deviceId: deviceIdSchema.parse('linux-1'),
  sessionId: sessionIdSchema.parse('s'),
  taskName: 'a',
  request: 'x',
  timeoutMs: 1_000,
};

function failed(result: JsonValue | undefined, error?: string) {
  const signal = { kind: 'task-ended', sessionId: 's', status: 'failed', rawStatus: 'failed', result } as const;
  const keep = (value: JsonValue): TaskResult => ({ kind: 'inline', value });
  return endedReport(ORDER, { ...signal, ...(error !== undefined && { error }) }, keep).error;
}

test.each<[string, JsonValue, string]>([
  ['its only words', { failure: 'session ended with an error' }, 'session ended with an error'],
  ['an error', { error: 'no such window' }, 'no such window'],
  ['an error of several parts', { error: { code: 7, message: 'no such window' } }, 'no such window'],
  [
    'the last round',
    [
      { request: 'x', result: 'fine' },
      { request: 'y', result: { error: 'disk full' } },
    ],
    'disk full',
  ],
  ['the last round itself', [{ request: 'x', error: 'disk full' }], 'disk full'],
  ['the last of the last round', [{ request: 'x', result: [1, { failure: 'gone' }] }], 'gone'],
])('a failure without an error is told by %s in the result', (_, result, expected) => {
  expect(failed(result)).toBe(expected);
  expect(failed(result, '')).toBe(expected);
  expect(failed(result, ' \n')).toBe(expected);
});

test('an error that is said wins over the result', () => {
  expect(failed({ failure: 'session ended with an error' }, 'no such file')).toBe('no such file');
});

test.each<[JsonValue | undefined]>([
  [undefined],
  [null],
  [[]],
  ['done'],
  [{ failure: '' }],
  [{ error: 7 }],
  [
    [
      { request: 'x', result: { error: 'early' } },
      { request: 'y', result: 'fine' },
    ],
  ],
])('a failure that says nothing at all, as in %j, is told as that', (result) => {
  expect(failed(result)).toBe('The device reported "failed" without saying why');
});
