import { expect, test } from 'vitest';
import { createHostBudget } from './host-budget';

const URL_1 = 'ws://10.0.0.1:5000/ws';

test('[S55] fifty devices on one dead host try it about once a second together', () => {
  let nowMs = 0;
  const budget = createHostBudget(() => nowMs);
  budget.failed(URL_1);
  let tries = 0;
  const waiting: number[] = Array.from({ length: 50 }, () => budget.turnMs(URL_1));
  for (nowMs = 0; nowMs < 60_000; nowMs += 100) {
    for (const [index, atMs] of waiting.entries()) {
      if (atMs > nowMs) continue;
      tries += 1;
      budget.failed(URL_1);
      waiting[index] = nowMs + budget.turnMs(URL_1);
    }
  }

  expect(tries).toBeLessThanOrEqual(10 + 61);
  expect(tries).toBeGreaterThan(50);
});

test('a host that answers holds nobody back, and other hosts never wait', () => {
  const budget = createHostBudget(() => 0);
  expect(Array.from({ length: 1_000 }, () => budget.turnMs(URL_1)).every((waitMs) => waitMs === 0)).toBe(true);

  budget.failed(URL_1);
  const waits = Array.from({ length: 12 }, () => budget.turnMs(URL_1));
  expect(waits.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0));
  expect(waits.slice(10)).toEqual([1_000, 2_000]);
  expect(budget.turnMs('ws://10.0.0.2:5000/ws')).toBe(0);

  budget.answered(URL_1);
  expect(budget.turnMs(URL_1)).toBe(0);
});
