import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTimestamp, millisecondsOf, parseTimestamp } from './timestamps';

test.each([
  ['2025-11-06T09:00:00Z', '2025-11-06T09:00:00+00:00'],
  ['2025-11-06T09:00:00.5Z', '2025-11-06T09:00:00.500000+00:00'],
  ['2025-11-06T09:00:00', '2025-11-06T09:00:00+00:00'],
  ['2025-11-06', '2025-11-06T00:00:00+00:00'],
  ['2025-11-06 09:00', '2025-11-06T09:00:00+00:00'],
  ['20251106T090000', '2025-11-06T09:00:00+00:00'],
  ['2025-11-06T09:00:05.123456+00:00', '2025-11-06T09:00:05.123456+00:00'],
  ['2025-11-06T09:00:05.123456789+02:00', '2025-11-06T09:00:05.123456+02:00'],
  ['2025-11-06T09:00:00-0530', '2025-11-06T09:00:00-05:30'],
])('%s is read, and written as %s', (text, written) => {
  const parsed = parseTimestamp(text);
  expect(parsed.ok && parsed.value.text).toBe(written);
});

test.each(['yesterday', '', '2025-13-01', '2025-02-30', '2025-11-06T25:00:00', '1762419600', '2025-11-06T09:00:00 PM'])(
  '%j is no time',
  (text) => {
    expect(parseTimestamp(text).ok).toBe(false);
  },
);

test('an offset counts', () => {
  expect(millisecondsOf('2025-11-06T11:00:00+02:00')).toBe(Date.UTC(2025, 10, 6, 9));
  expect(millisecondsOf('2025-11-06T03:30:00-05:30')).toBe(Date.UTC(2025, 10, 6, 9));
});

test('a moment survives being written and read, to the microsecond', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (micros) => {
      const atMs = micros / 1000;
      expect(millisecondsOf(formatTimestamp(atMs))).toBeCloseTo(atMs, 3);
    }),
  );
});
