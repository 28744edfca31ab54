import { expect, test } from 'vitest';
import { shownNowMs } from './shown-now';

test('time goes on while the relay is there', () => {
  expect(shownNowMs({ phase: 'open' }, 5_000)).toBe(5_000);
});

test('ages stand still at the last known moment while the relay is away', () => {
  expect(shownNowMs({ phase: 'connecting', freshAtMs: 2_000 }, 5_000)).toBe(2_000);
  expect(shownNowMs({ phase: 'waiting', freshAtMs: 2_000, retryAtMs: 9_000 }, 5_000)).toBe(2_000);
  expect(shownNowMs({ phase: 'stopped', freshAtMs: 2_000, reason: 'old page' }, 5_000)).toBe(2_000);
});

test('a page that never had data has no moment to stand still at', () => {
  expect(shownNowMs({ phase: 'connecting', freshAtMs: null }, 5_000)).toBe(5_000);
});

test('a clock that was read before the link was lost is not set forward', () => {
  expect(shownNowMs({ phase: 'connecting', freshAtMs: 5_400 }, 5_000)).toBe(5_000);
});
