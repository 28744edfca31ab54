import { expect, test } from 'vitest';
import { formatClockTime } from '@/components/text/format-time';
import type { Link } from '@/lib/relay-protocol/link';
import { gateFor } from './action-gate';
import { connectionView } from './connection-view';

const NOTHING_MISSING = { events: 0, snapshots: 0 };

function view(link: Link, nowMs = 100_000, catchUp = NOTHING_MISSING) {
  return connectionView({ link, catchUp, nowMs });
}

test('the pill says Live only while nothing is known to be missing', () => {
  expect(view({ phase: 'open' })).toEqual({ kind: 'live', label: 'Live' });
  expect(view({ phase: 'open' }, 0, { events: 214, snapshots: 0 }).label).toBe('Catching up (214)');
  expect(view({ phase: 'open' }, 0, { events: 0, snapshots: 1 }).label).toBe('Catching up');
});

test('a short loss is told with the time until the next attempt', () => {
  expect(view({ phase: 'waiting', retryAtMs: 103_200, freshAtMs: 99_000 }).label).toBe('Reconnecting in 4 s');
  expect(view({ phase: 'connecting', freshAtMs: 99_000 }).label).toBe('Reconnecting');
});

test('a longer loss is told with the age of what is on the screen', () => {
  const freshAtMs = 100_000 - 16_000;
  const label = `Offline - data from ${formatClockTime(freshAtMs)}`;
  expect(view({ phase: 'waiting', retryAtMs: 101_000, freshAtMs })).toEqual({ kind: 'offline', label });
  expect(view({ phase: 'connecting', freshAtMs })).toEqual({ kind: 'offline', label });
});

test('before the first welcome the page is connecting, not offline', () => {
  expect(view({ phase: 'connecting', freshAtMs: null }).label).toBe('Connecting');
});

test('a control that needs the relay says why it cannot be used', () => {
  expect(gateFor('run-launch', { phase: 'open' }, 'operator')).toEqual({ isOpen: true });
  expect(gateFor('device-add', { phase: 'open' }, 'operator')).toEqual({
    isOpen: false,
    reason: 'Needs the role admin; you are operator.',
  });
  expect(gateFor('run-launch', { phase: 'connecting', freshAtMs: 1 }, 'admin')).toMatchObject({ isOpen: false });
});
