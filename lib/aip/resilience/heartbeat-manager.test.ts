import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import { type Logger, type LogLevel, silentLogger } from '@/lib/std/logger';
import { createHeartbeatManager, type HeartbeatManagerOptions } from './heartbeat-manager';

const HOUR_MS = 3_600_000;

function aManager(options: Partial<HeartbeatManagerOptions> = {}) {
  const fake = createFakeClock();
  const state = { isConnected: true, isReading: true, heldUpMs: 0 };
  const clock = { ...fake, now: () => fake.now() + state.heldUpMs };
  const told: string[] = [];
  const logged: string[] = [];
  const log = (level: LogLevel) => (what: string) => logged.push(`${level} ${what}`);
  const logger: Logger = { ...silentLogger, error: log('error'), warn: log('warn'), debug: log('debug') };
  const beats: string[] = [];
  const manager = createHeartbeatManager({
    clock,
    logger,
    send: async (clientId) => {
      beats.push(clientId);
      return true;
    },
    isConnected: () => state.isConnected,
    isExcused: () => !state.isReading,
    onMissed: (clientId, missedBeats) => told.push(`${clientId} missed ${missedBeats}`),
    onDead: (clientId, silenceMs) => told.push(`${clientId} dead after ${silenceMs}`),
    ...options,
  });
  return { advance: fake.advance, beats, clock, logged, manager, state, told };
}

/** A link's own numbers: three beats to the verdict. */
const LINK = { intervalMs: 20_000, deadAfterMs: 60_000 };

describe('beats', () => {
  test('[AIP-57] come every 30 s when nothing else is said, the first after one interval', async () => {
    const { advance, beats, manager } = aManager();
    manager.start('linux-1');

    await advance(29_999);
    expect(beats).toEqual([]);
    await advance(1);
    expect(beats).toHaveLength(1);
    await advance(60_000);

    expect(beats).toHaveLength(3);
    expect(manager.getInterval('linux-1')).toBe(30_000);
  });

  test('of each client have their own interval', async () => {
    const { advance, beats, manager } = aManager({ intervalMs: 10_000 });
    manager.start('linux-1');
    manager.start('linux-2', 25_000);

    await advance(50_000);

    expect(beats.filter((clientId) => clientId === 'linux-1')).toHaveLength(5);
    expect(beats.filter((clientId) => clientId === 'linux-2')).toHaveLength(2);
    expect(manager.getInterval('linux-2')).toBe(25_000);
  });

  test('are skipped with a warning while there is no connection, and go on with the next one', async () => {
    const { advance, beats, logged, manager, state, told } = aManager(LINK);
    manager.start('linux-1');

    state.isConnected = false;
    await advance(HOUR_MS);
    expect(beats).toEqual([]);
    expect(logged.filter((line) => line === 'warn heartbeat-skipped')).toHaveLength(180);
    expect(told).toEqual([]);
    state.isConnected = true;
    await advance(20_000);

    expect(beats).toHaveLength(1);
  });

  test.each([
    ['says no', async () => false],
    ['rejects', async () => Promise.reject(new Error('a fault'))],
    [
      'throws',
      () => {
        throw new Error('a fault');
      },
    ],
  ])('go on when a send %s, and it is in the log', async (_name, send) => {
    let sends = 0;
    const { advance, logged, manager } = aManager({
      send: () => {
        sends += 1;
        return send();
      },
    });
    manager.start('linux-1');

    await advance(90_000);

    expect(sends).toBe(3);
    expect(logged.filter((line) => line === 'warn heartbeat-not-sent')).toHaveLength(3);
    expect(manager.isRunning('linux-1')).toBe(true);
  });

  test('that meet a connection that has just ended are no warning', async () => {
    const { advance, logged, manager, state } = aManager({
      send: async () => {
        state.isConnected = false;
        return false;
      },
    });
    manager.start('linux-1');

    await advance(30_000);

    expect(logged.filter((line) => line.endsWith('not-sent'))).toEqual(['debug heartbeat-not-sent']);
  });

  test('do not pile up behind a send that hangs, and one that hangs for long is given up', async () => {
    let open = 0;
    const { advance, logged, manager } = aManager({
      send: () => {
        open += 1;
        return new Promise(() => {});
      },
    });
    manager.start('linux-1');

    await advance(119_999);
    expect(open).toBe(1);
    expect(logged.filter((line) => line === 'warn heartbeat-skipped')).toHaveLength(2);
    await advance(30_001);

    expect(open).toBe(2);
    await advance(119_999);
    expect(open).toBe(2);
    await advance(1);
    expect(open).toBe(3);
  });

  test('come in time again as soon as a slow send has ended', async () => {
    const ends: ((isSent: boolean) => void)[] = [];
    const { advance, manager } = aManager({ send: () => new Promise((resolve) => ends.push(resolve)) });
    manager.start('linux-1');
    await advance(70_000);
    expect(ends).toHaveLength(1);

    ends[0]?.(true);
    await advance(20_000);

    expect(ends).toHaveLength(2);
  });
});

describe('start and stop', () => {
  test('a heartbeat that was stopped is silent, however often it is stopped', async () => {
    const { advance, beats, manager, told } = aManager(LINK);
    manager.start('linux-1');

    manager.stop('linux-1');
    manager.stop('linux-1');
    manager.stop('never-seen');
    await advance(HOUR_MS);

    expect([beats, told]).toEqual([[], []]);
    expect(manager.isRunning('linux-1')).toBe(false);
    expect(manager.getInterval('linux-1')).toBeUndefined();
    expect(manager.missedBeats('linux-1')).toBe(0);
  });

  test('a heartbeat that was stopped or has ended leaves no timer behind', async () => {
    const fake = createFakeClock();
    const timers = new Set<object>();
    const counted = (start: (run: () => void) => CancelTimer, run: () => void) => {
      const timer = {};
      timers.add(timer);
      const stop = start(run);
      return () => {
        timers.delete(timer);
        stop();
      };
    };
    const clock: Clock = {
      now: fake.now,
      every: (everyMs, run) => counted((start) => fake.every(everyMs, start), run),
      after: (delayMs, run) => {
        const stop = counted(
          (start) => fake.after(delayMs, start),
          () => {
            stop();
            run();
          },
        );
        return stop;
      },
    };
    const { manager } = aManager({ ...LINK, clock });
    manager.start('linux-1');
    manager.start('linux-2');
    expect(timers.size).toBe(4);

    manager.stop('linux-1');
    expect(timers.size).toBe(2);
    await fake.advance(60_000);

    expect(manager.isRunning('linux-2')).toBe(false);
    expect(timers.size).toBe(0);
  });

  test('stopAll stops every client, twice as well, and leaves a manager that can start again', async () => {
    const { advance, beats, manager } = aManager();
    for (const clientId of ['linux-1', 'linux-2', 'linux-3']) manager.start(clientId);

    manager.stopAll();
    manager.stopAll();
    await advance(HOUR_MS);
    expect(beats).toEqual([]);
    manager.start('linux-2');
    await advance(30_000);

    expect(beats).toEqual(['linux-2']);
  });

  test('a stop leaves the heartbeats of others alone', async () => {
    const { advance, beats, manager } = aManager();
    manager.start('linux-1');
    manager.start('linux-2');

    manager.stop('linux-1');
    await advance(60_000);

    expect(beats).toEqual(['linux-2', 'linux-2']);
  });

  test('a start replaces the heartbeat that runs: new interval, no doubled beats, nothing missed yet', async () => {
    const { advance, beats, logged, manager } = aManager();
    manager.start('linux-1', 10_000);
    await advance(25_000);
    expect([beats.length, manager.missedBeats('linux-1')]).toEqual([2, 1]);

    manager.start('linux-1', 40_000);
    expect(manager.missedBeats('linux-1')).toBe(0);
    await advance(80_000);

    expect(beats).toHaveLength(4);
    expect(manager.getInterval('linux-1')).toBe(40_000);
    expect(logged).toContain('warn heartbeat-replaced');
  });

  test.each([undefined, null, 0])('an interval of %s means the default', (intervalMs) => {
    const { manager } = aManager({ intervalMs: 15_000 });

    manager.start('linux-1', intervalMs);

    expect(manager.getInterval('linux-1')).toBe(15_000);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('an interval of %s is refused, and nothing changes', (ms) => {
    const { manager } = aManager();
    manager.start('linux-1', 10_000);

    expect(() => manager.start('linux-1', ms)).toThrow(RangeError);
    expect(() => aManager({ intervalMs: ms })).toThrow(RangeError);
    expect(() => aManager({ deadAfterMs: ms })).toThrow(RangeError);

    expect(manager.getInterval('linux-1')).toBe(10_000);
  });
});

describe('missed beats', () => {
  test('are those without any sign of life before the next one, counted in a row', async () => {
    const { advance, manager, told } = aManager();
    manager.start('linux-1');

    await advance(30_000);
    expect(manager.missedBeats('linux-1')).toBe(0);
    await advance(60_000);
    expect(manager.missedBeats('linux-1')).toBe(2);
    manager.heard('linux-1');
    expect(manager.missedBeats('linux-1')).toBe(0);
    await advance(30_000);
    expect(manager.missedBeats('linux-1')).toBe(0);
    await advance(30_000);

    expect(told).toEqual(['linux-1 missed 1', 'linux-1 missed 2', 'linux-1 missed 1']);
  });

  test('are of each client alone, and a word of a stranger changes nothing', async () => {
    const { advance, manager } = aManager();
    manager.start('linux-1');
    manager.start('linux-2');
    await advance(45_000);

    manager.heard('linux-1');
    manager.heard('never-seen');
    await advance(15_000);

    expect([manager.missedBeats('linux-1'), manager.missedBeats('linux-2')]).toEqual([0, 1]);
  });

  test('count when a beat could not be sent for all that the connection stands', async () => {
    const { advance, manager } = aManager({ send: () => new Promise(() => {}) });
    manager.start('linux-1');

    await advance(90_000);

    expect(manager.missedBeats('linux-1')).toBe(2);
  });

  test('are none while we are not reading, nor without a connection', async () => {
    const { advance, manager, state, told } = aManager();
    manager.start('linux-1');

    state.isReading = false;
    await advance(300_000);
    state.isReading = true;
    state.isConnected = false;
    await advance(300_000);

    expect(told).toEqual([]);
  });

  test('are none of the beat after which this process was held up, but of the next', async () => {
    const { advance, manager, state, told } = aManager();
    manager.start('linux-1');
    await advance(30_000);

    state.heldUpMs = HOUR_MS;
    await advance(30_000);
    expect(told).toEqual([]);
    await advance(30_000);

    expect(told).toEqual(['linux-1 missed 1']);
  });

  test('are noticed in the end on a machine that is late each time, and each word heard buys one beat of patience', async () => {
    const { advance, manager, state, told } = aManager();
    manager.start('linux-1');
    async function lateBeat() {
      state.heldUpMs += HOUR_MS;
      await advance(30_000);
    }

    for (let beat = 0; beat < 3; beat += 1) await lateBeat();
    expect(told).toEqual(['linux-1 missed 1']);
    manager.heard('linux-1');
    for (let beat = 0; beat < 2; beat += 1) await lateBeat();
    expect(told).toHaveLength(1);
    await lateBeat();

    expect(told).toHaveLength(2);
  });

  test('can be the reason to stop, and no further beat goes out then', async () => {
    const { advance, beats, manager } = aManager({ onMissed: (clientId) => manager.stop(clientId) });
    manager.start('linux-1');

    await advance(HOUR_MS);

    expect(beats).toHaveLength(1);
  });
});

describe('a silent peer', () => {
  test('is told once, and its heartbeat has stopped by then', async () => {
    const verdicts: unknown[] = [];
    const { advance, beats, manager } = aManager({
      ...LINK,
      onDead: (clientId, silenceMs) => verdicts.push({ silenceMs, isRunning: manager.isRunning(clientId) }),
    });
    manager.start('linux-1');

    await advance(300_000);

    expect(verdicts).toEqual([{ silenceMs: 60_000, isRunning: false }]);
    expect(beats.length).toBeLessThanOrEqual(3);
  });

  test('is alive for the full time after whatever is heard of it', async () => {
    const { advance, manager } = aManager(LINK);
    manager.start('linux-1');

    await advance(59_000);
    manager.heard('linux-1');
    await advance(59_999);
    expect(manager.isRunning('linux-1')).toBe(true);
    await advance(1);

    expect(manager.isRunning('linux-1')).toBe(false);
  });

  test('is judged by nobody when no time is set for it', async () => {
    const { advance, manager } = aManager();
    manager.start('linux-1');

    await advance(HOUR_MS);

    expect(manager.isRunning('linux-1')).toBe(true);
  });

  test('may be silent while we are not reading', async () => {
    const { advance, manager, state } = aManager(LINK);
    manager.start('linux-1');

    state.isReading = false;
    await advance(200_000);
    expect(manager.isRunning('linux-1')).toBe(true);
    state.isReading = true;
    await advance(120_000);

    expect(manager.isRunning('linux-1')).toBe(false);
  });

  test('is not judged while there is no connection, however slow its beats', async () => {
    const { advance, manager, state } = aManager({ deadAfterMs: 60_000 });
    manager.start('linux-1', 600_000);
    state.isConnected = false;

    await advance(590_000);

    expect(manager.isRunning('linux-1')).toBe(true);
  });

  test('has the full time from a new connection on', async () => {
    const { advance, manager, state } = aManager(LINK);
    manager.start('linux-1');
    state.isConnected = false;
    await advance(200_000);

    state.isConnected = true;
    await advance(59_000);
    expect(manager.isRunning('linux-1')).toBe(true);
    await advance(60_000);

    expect(manager.isRunning('linux-1')).toBe(false);
  });

  test('is gone in time though the clock was set back meanwhile', async () => {
    const { advance, manager, state } = aManager(LINK);
    manager.start('linux-1');

    await advance(30_000);
    state.heldUpMs = -HOUR_MS;
    await advance(30_000);
    manager.heard('linux-1');
    await advance(120_000);

    expect(manager.isRunning('linux-1')).toBe(false);
  });

  test('is gone in the end for a machine that is late at each look, and each word heard buys one more look', async () => {
    const { advance, manager, state } = aManager({ intervalMs: 20_000, deadAfterMs: 60_000 });
    manager.start('linux-1');
    async function late(ms: number) {
      state.heldUpMs += HOUR_MS;
      await advance(ms);
      return manager.isRunning('linux-1');
    }

    expect(await late(60_000)).toBe(true);
    manager.heard('linux-1');
    expect(await late(20_000)).toBe(true);
    expect(await late(20_000)).toBe(false);
  });

  describe('after this process was stopped for an hour, or its clock set', () => {
    async function anHourLater() {
      const made = aManager({ ...LINK, onMissed: () => {} });
      made.manager.start('linux-1');
      await made.advance(30_000);
      made.state.heldUpMs = HOUR_MS;
      await made.advance(30_000);
      return made;
    }

    test('is read before it counts as gone', async () => {
      const { advance, manager, told } = await anHourLater();

      expect(told).toEqual([]);
      manager.heard('linux-1');
      await advance(59_000);
      expect(told).toEqual([]);
    });

    test('is gone after one more interval of silence', async () => {
      const { advance, told } = await anHourLater();

      await advance(20_000);

      expect(told).toHaveLength(1);
    });
  });

  test('cannot be told from one that was never asked in time, so such numbers are warned of', () => {
    const { logged, manager } = aManager({ deadAfterMs: 60_000 });

    manager.start('linux-1', 60_000);

    expect(logged).toContain('warn heartbeat-slower-than-verdict');
  });
});

describe('a fault of the functions that a manager is given', () => {
  const fault = () => {
    throw new Error('a fault');
  };

  test.each(['isConnected', 'onMissed', 'isExcused'] as const)('in %s ends no heartbeat', async (name) => {
    const { advance, logged, manager } = aManager({ [name]: fault });
    manager.start('linux-1');

    await advance(120_000);

    expect(manager.isRunning('linux-1')).toBe(true);
    expect(logged).toContain('error heartbeat-callback-failed');
  });

  test.each(['isConnected', 'isExcused', 'onDead'] as const)('in %s hides no dead peer', async (name) => {
    const { advance, logged, manager } = aManager({ ...LINK, [name]: fault });
    manager.start('linux-1');

    await advance(120_000);

    expect(manager.isRunning('linux-1')).toBe(false);
    expect(logged).toContain('error heartbeat-callback-failed');
  });
});

test('whatever the order of starts, stops, words and waits, each running client alone beats, once an interval', async () => {
  const clients = fc.constantFrom('a', 'b', 'c');
  const acts = fc.array(
    fc.oneof(
      fc.record({ act: fc.constant('start' as const), client: clients, intervalMs: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ act: fc.constant('stop' as const), client: clients }),
      fc.record({ act: fc.constant('stopAll' as const) }),
      fc.record({ act: fc.constant('heard' as const), client: clients }),
      fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 30 }) }),
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (steps) => {
      const { advance, beats, manager } = aManager();
      const expected = new Map<string, { intervalMs: number; sinceMs: number }>();
      let nowMs = 0;
      let beatsDue = 0;
      for (const step of steps) {
        if (step.act === 'start') {
          manager.start(step.client, step.intervalMs);
          expected.set(step.client, { intervalMs: step.intervalMs, sinceMs: nowMs });
        } else if (step.act === 'stop') {
          manager.stop(step.client);
          expected.delete(step.client);
        } else if (step.act === 'stopAll') {
          manager.stopAll();
          expected.clear();
        } else if (step.act === 'heard') manager.heard(step.client);
        else {
          for (const { intervalMs, sinceMs } of expected.values()) {
            const beatsBefore = Math.floor((nowMs - sinceMs) / intervalMs);
            beatsDue += Math.floor((nowMs + step.ms - sinceMs) / intervalMs) - beatsBefore;
          }
          await advance(step.ms);
          nowMs += step.ms;
        }
      }
      expect(beats).toHaveLength(beatsDue);
      expect(['a', 'b', 'c'].filter(manager.isRunning)).toEqual([...expected.keys()].sort());
      for (const [client, { intervalMs }] of expected) expect(manager.getInterval(client)).toBe(intervalMs);
    }),
    { seed: 20260102, numRuns: 60 },
  );
});
