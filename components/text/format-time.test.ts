import { expect, test } from 'vitest';
import { formatAge, formatDuration, formatFullMoment, formatMoment, formatTook } from './format-time';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [-5, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [2 * MINUTE + 3 * SECOND, '2 min 03 s'],
  [HOUR + 4 * MINUTE, '1 h 04 min'],
  [74 * HOUR, '3 d 2 h'],
])('%i ms last %s', (durationMs, shown) => {
  expect(formatDuration(durationMs)).toBe(shown);
});

test.each([
  [12 * SECOND, '12 s'],
  [3 * MINUTE + 59 * SECOND, '3 min'],
  [47 * HOUR, '47 h'],
  [49 * HOUR, '2 d'],
])('an age of %i ms is %s', (ageMs, shown) => {
  expect(formatAge(ageMs)).toBe(shown);
});

test('a moment of today is a time, one of another day has its date', () => {
  const at = new Date(2025, 2, 4, 9, 2, 11).getTime();
  expect(formatMoment(at, at + HOUR)).toBe('09:02:11');
  expect(formatMoment(at, at + 48 * HOUR)).toBe('2025-03-04 09:02:11');
});

test('a full moment names its zone', () => {
  const at = new Date(2025, 2, 4, 9, 2, 11).getTime();
  expect(formatFullMoment(at)).toMatch(/^2025-03-04 09:02:11 [+-]\d\d:\d\d$/);
});

test('what took less than ten seconds is told to a tenth, never rounded up', () => {
  expect(formatTook(0)).toBe('0.0 s');
  expect(formatTook(389)).toBe('0.3 s');
  expect(formatTook(9_999)).toBe('9.9 s');
  expect(formatTook(10_400)).toBe('10 s');
  expect(formatTook(-5)).toBe('0.0 s');
});
