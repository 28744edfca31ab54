import { expect, test } from 'vitest';
import { type LinkFailure, nextTry } from './reconnect-policy';

function tries(failure: LinkFailure, count: number, fraction: number) {
  return Array.from({ length: count }, (_, index) =>
    nextTry({ failure, failures: index + 1, maxRetries: 5, fraction }),
  );
}

test('the wait for an unreachable server grows, is jittered and never short', () => {
  expect(tries('unreachable', 5, 0.999).map(({ delayMs }) => delayMs)).toEqual([999, 1998, 3996, 7992, 15984]);
  expect(tries('unreachable', 5, 0).map(({ delayMs }) => delayMs)).toEqual([500, 500, 500, 500, 500]);
});

test('after max_retries in a row a device is failed and tried about once a minute', () => {
  expect(tries('unreachable', 6, 0.5).map(({ status }) => status)).toEqual([
    'disconnected',
    'disconnected',
    'disconnected',
    'disconnected',
    'disconnected',
    'failed',
  ]);
  for (const fraction of [0, 0.5, 0.999]) {
    const { delayMs } = nextTry({ failure: 'unreachable', failures: 400, maxRetries: 5, fraction });
    expect(delayMs).toBeGreaterThanOrEqual(54_000);
    expect(delayMs).toBeLessThanOrEqual(60_000);
  }
});

test('a device that is away from its server is offline, not failed, and is seen within 10 s of its return', () => {
  for (const { delayMs, status } of tries('absent', 400, 0.999)) {
    expect(status).toBe('disconnected');
    expect(delayMs).toBeLessThanOrEqual(10_000);
  }
  expect(nextTry({ failure: 'absent', failures: 400, maxRetries: 5, fraction: 0 }).delayMs).toBe(5_000);
});

test('a wrong token and a forbidden address fail at once and are tried slowly', () => {
  for (const failure of ['unauthorized', 'not-allowed'] as const) {
    const next = nextTry({ failure, failures: 1, maxRetries: 5, fraction: 0 });
    expect(next.status).toBe('failed');
    expect(next.delayMs).toBeGreaterThanOrEqual(54_000);
  }
});
