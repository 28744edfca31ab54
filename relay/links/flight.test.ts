import { expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { deviceIdSchema, runIdSchema, sessionIdSchema, taskIdSchema } from '@/lib/std/ids';
import { ok } from '@/lib/std/result';
import { Flight, type SessionEnd } from './flight';

const ORDER = {
  runId: runIdSchema.parse('1'.repeat(32)),
  taskId: taskIdSchema.parse('a'),
  attempt: 1,
  deviceId: deviceIdSchema.parse('linux-1'),
  sessionId: sessionIdSchema.parse('s'),
  taskName: 'a',
  request: 'Do a',
  timeoutMs: 1_000,
};
const CUT: SessionEnd = { cause: 'closed', reason: 'the connection was cut' };
const FAILED = { kind: 'task-ended', sessionId: 's', status: 'failed', rawStatus: 'failed', result: null } as const;

function aFlight(extensions: readonly string[]) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const closed: SessionEnd[] = [];
  const flight = new Flight({
    order: ORDER,
    clock,
    timing: { cancelMs: 10_000, deadlineGraceMs: 5_000 },
    endpoint: {
      extensions,
      async cancelTask(sessionId) {
        asked.push(sessionId);
        return ok(null);
      },
    },
    closeLink: (end) => closed.push(end),
  });
  flight.phase = 'accepted';
  const endReport = (signal: Parameters<Flight['endReport']>[0]) => flight.endReport(signal, () => ({ kind: 'none' }));
  return { flight, clock, asked, closed, endReport };
}

test('a server that does not end single tasks is never asked to', () => {
  const { flight, asked, closed } = aFlight(['log']);
  flight.cancel();
  expect([asked, closed.map(({ cause }) => cause)]).toEqual([[], ['cancelled']]);
});

test('a task is asked for once, however often it is cancelled, and the link closes only when nothing comes', async () => {
  const { flight, clock, asked, closed } = aFlight(['cancel']);
  flight.cancel();
  flight.cancel();
  await clock.advance(9_999);
  expect([asked, closed]).toEqual([['s'], []]);
  await clock.advance(1);
  expect(closed).toEqual([{ cause: 'cancelled', reason: 'the task was cancelled' }]);
});

test('nothing of a flight that has landed closes the link', async () => {
  const { flight, clock, closed } = aFlight(['cancel']);
  flight.cancel();
  flight.land();
  await clock.advance(60_000);
  flight.timeOut();
  expect(closed).toEqual([]);
});

test('a cancel stands over a time limit that was first', () => {
  const { flight, asked, endReport } = aFlight(['cancel']);
  flight.timeOut();
  expect(endReport(FAILED)).toMatchObject({ outcome: 'failed', cause: 'timeout' });
  flight.cancel();
  expect(asked).toEqual(['s']);
  expect(endReport(FAILED)).toMatchObject({ outcome: 'cancelled' });
  expect(flight.lastReport(CUT, 1006)).toMatchObject({ outcome: 'cancelled' });
});

test('a task that was faster than its end is completed', () => {
  const { flight, endReport } = aFlight(['cancel']);
  flight.cancel();
  expect(endReport({ ...FAILED, status: 'completed' })).toMatchObject({ outcome: 'completed' });
});

test.each([
  { extensions: ['deadline'], patienceMs: 6_000, cause: 'timeout' },
  { extensions: ['cancel'], patienceMs: 1_000, cause: 'device' },
])('the time limit with a server that agreed to $extensions', ({ extensions, patienceMs, cause }) => {
  const { flight, endReport } = aFlight(extensions);
  expect(flight.patienceMs).toBe(patienceMs);
  expect(endReport({ ...FAILED, result: { error_type: 'timeout' } })).toMatchObject({ cause });
});

test('a connection that is lost without a word leaves the outcome unknown', () => {
  expect(aFlight(['cancel']).flight.lastReport(CUT, 1006)).toMatchObject({ type: 'attempt-lost' });
});
