import { expect, test } from 'vitest';
import { recordOf } from './info-record';

test('what the device says now is dated now', () => {
  const first = recordOf(null, { info: { load: 1 }, fresh: true, askedAtMs: 10, nowMs: 11 });

  expect(first).toEqual({ info: { load: 1 }, origin: 'device', askedAtMs: 10, collectedAtMs: 11 });
});

test('a cached answer is dated by its first sight and never grows younger', () => {
  const first = recordOf(null, { info: { a: 1, b: [2] }, fresh: false, askedAtMs: 10, nowMs: 11 });
  const again = recordOf(first, { info: { b: [2], a: 1 }, fresh: false, askedAtMs: 500, nowMs: 501 });

  expect(first).toMatchObject({ origin: 'registration', collectedAtMs: 11 });
  expect(again).toMatchObject({ origin: 'registration', askedAtMs: 500, collectedAtMs: 11 });
});

test('a new registration with other content is dated by its first sight', () => {
  const first = recordOf(null, { info: { a: 1 }, fresh: false, askedAtMs: 10, nowMs: 11 });
  const second = recordOf(first, { info: { a: 2 }, fresh: false, askedAtMs: 500, nowMs: 501 });

  expect(second).toMatchObject({ origin: 'registration', collectedAtMs: 501 });
});

test('what the device itself said stays its own when the server repeats it', () => {
  const fresh = recordOf(null, { info: { a: 1 }, fresh: true, askedAtMs: 10, nowMs: 11 });
  const repeated = recordOf(fresh, { info: { a: 1 }, fresh: false, askedAtMs: 500, nowMs: 501 });

  expect(repeated).toEqual({ info: { a: 1 }, origin: 'device', askedAtMs: 500, collectedAtMs: 11 });
});
