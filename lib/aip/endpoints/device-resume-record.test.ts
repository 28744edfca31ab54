import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import { createResumeRecord } from './device-resume-record';
import { jsonBytesOf } from './json-bytes';

const MIB = 1_048_576;
const success = (result: string): CommandResult => ({ status: 'success', result });

test('a result is remembered by its call id, and the first one stays', () => {
  const record = createResumeRecord(MIB);
  record.put('a', success('one'));
  record.put('a', success('two'));

  expect(record.resultOf('a')).toEqual(success('one'));
  expect(record.resultOf('b')).toBeUndefined();
});

test('beyond its size the oldest payloads go, and a failure stands for them so that nothing runs again', () => {
  const record = createResumeRecord(MIB);
  for (const key of ['a', 'b', 'c']) record.put(key, success('x'.repeat(400_000)));

  expect(record.resultOf('a')).toMatchObject({ status: 'failure', error: expect.stringContaining('lost') });
  expect(record.resultOf('b')?.status).toBe('success');
  expect(record.resultOf('c')?.status).toBe('success');
});

test('a result that is larger than the record is not kept, and says its size', () => {
  const record = createResumeRecord(1_000);
  record.put('a', success('x'.repeat(2_000)));

  expect(record.resultOf('a')).toMatchObject({ status: 'failure', error: expect.stringMatching(/\d{4} bytes/) });
});

test('names alone are forgotten too in the end, the oldest first', () => {
  const record = createResumeRecord(100_000);
  for (let index = 0; index < 1_000; index += 1) record.put(`call-${index}`, success(''));

  expect(record.resultOf('call-0')).toBeUndefined();
  expect(record.resultOf('call-999')).toEqual(success(''));
});

test('sizes are those of the JSON, escapes aside, and a walk ends at its limit', () => {
  const plain = fc.jsonValue().filter((value) => !/[\\"]|[^\x20-\x7e]/.test(JSON.stringify(value).replaceAll('"', '')));
  fc.assert(
    fc.property(plain, (value) => {
      const exact = Buffer.byteLength(JSON.stringify(value));
      const near = jsonBytesOf(value);
      expect(near).toBeGreaterThanOrEqual(exact - 2);
      expect(near).toBeLessThanOrEqual(exact * 2 + 8);
    }),
    { seed: 42, numRuns: 500 },
  );
  const endless: unknown[] = [];
  endless.push(endless, 'x');
  expect(jsonBytesOf(endless, 1_000)).toBeGreaterThanOrEqual(1_000);
  expect(jsonBytesOf('é'.repeat(10))).toBe(22);
});
