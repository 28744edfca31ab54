import { expect, test } from 'vitest';
import { FLEET_STREAM, runStream } from '@/lib/relay-protocol/streams';
import { deviceIdSchema, runIdSchema, taskIdSchema } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';
import { createRegisterTable } from './register-table';

const RUNS = ['1', '2'].map((digit) => runIdSchema.parse(digit.repeat(32)));
const TASK = taskIdSchema.parse('a');
const markFrame = (run: number, version: number, nextLine: JsonValue) => ({
  type: 'register' as const,
  stream: runStream(RUNS[run] ?? runIdSchema.parse('')),
  key: 'output/1',
  version,
  value: { taskId: 'a', attempt: 1, isLive: true, firstLine: 0, nextLine },
});

test('the same key in two runs is two registers', () => {
  const table = createRegisterTable();
  expect(table.take(markFrame(0, 9, 1))).toBe(true);
  expect(table.take(markFrame(1, 5, 2))).toBe(true);
  expect(RUNS.map((runId) => table.outputMarks().get(runId)?.get(TASK)?.nextLine)).toEqual([1, 2]);
});

test('only a newer version counts', () => {
  const table = createRegisterTable();
  table.take(markFrame(0, 9, 5));
  expect(table.take(markFrame(0, 9, 6))).toBe(false);
  expect(table.take(markFrame(0, 8, 4))).toBe(false);
  expect(table.take(markFrame(0, 10, 6))).toBe(true);
});

test('a run that is looked at again has its registers again, with the versions of before', () => {
  const table = createRegisterTable();
  table.take(markFrame(0, 9, 5));
  table.forget(runStream(RUNS[0] ?? runIdSchema.parse('')));
  expect(table.outputMarks().size).toBe(0);
  expect(table.take(markFrame(0, 9, 5))).toBe(true);
});

test('a relay that started anew may count from the beginning, and what it does not know is gone', () => {
  const table = createRegisterTable();
  table.take(markFrame(0, 9, 5));
  table.welcome();
  expect(table.outputMarks().size).toBe(0);
  expect(table.take(markFrame(0, 1, 0))).toBe(true);
});

test('values that are no such value, and keys that nobody knows, change nothing', () => {
  const table = createRegisterTable();
  expect(table.take(markFrame(0, 1, 'many'))).toBe(false);
  expect(table.take({ ...markFrame(0, 1, 1), key: 'other/1' })).toBe(false);
  expect(table.take({ ...markFrame(0, 1, 1), stream: FLEET_STREAM })).toBe(false);
  expect(table.outputMarks().size).toBe(0);
});

test('when a device was heard comes with the fleet', () => {
  const table = createRegisterTable();
  table.take({ type: 'register', stream: FLEET_STREAM, key: 'heard/one', version: 1, value: 7 });
  expect(table.heardAtMs().get(deviceIdSchema.parse('one'))).toBe(7);
});
