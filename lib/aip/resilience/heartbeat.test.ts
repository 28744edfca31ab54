import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { startHeartbeat } from './heartbeat';

describe('heartbeat', () => {
  function aHeartbeat() {
    const clock = createFakeClock();
    const log: string[] = [];
    const state = { isReading: true };
    const heartbeat = startHeartbeat({
      clock,
      everyMs: 20_000,
      deadAfterMs: 60_000,
      beat: () => log.push('beat'),
      onDead: (silenceMs) => log.push(`dead after ${silenceMs}`),
      isExcused: () => !state.isReading,
    });
    return { clock, log, heartbeat, state };
  }

  test('it beats after every interval and tells of silence once', async () => {
    const { clock, log } = aHeartbeat();

    await clock.advance(300_000);

    expect(log.filter((entry) => entry === 'beat').length).toBeLessThanOrEqual(3);
    expect(log.filter((entry) => entry !== 'beat')).toEqual(['dead after 60000']);
  });

  test('whatever is heard keeps the peer alive for the full time', async () => {
    const { clock, log, heartbeat } = aHeartbeat();

    await clock.advance(59_000);
    heartbeat.heard();
    await clock.advance(59_999);
    expect(log.filter((entry) => entry !== 'beat')).toEqual([]);
    await clock.advance(1);

    expect(log.filter((entry) => entry !== 'beat')).toEqual(['dead after 60000']);
  });

  test('while we are not reading, silence is not held against the peer', async () => {
    const { clock, log, state } = aHeartbeat();

    state.isReading = false;
    await clock.advance(200_000);
    expect(log.filter((entry) => entry !== 'beat')).toEqual([]);
    state.isReading = true;
    await clock.advance(120_000);

    expect(log.filter((entry) => entry !== 'beat')).toHaveLength(1);
  });

  describe('after this process was stopped for an hour, or its clock set', () => {
    async function anHourLater() {
      const fake = createFakeClock();
      let heldUpMs = 0;
      const log: string[] = [];
      const heartbeat = startHeartbeat({
        clock: { ...fake, now: () => fake.now() + heldUpMs },
        everyMs: 20_000,
        deadAfterMs: 60_000,
        beat: () => {},
        onDead: () => log.push('dead'),
      });
      await fake.advance(30_000);
      heldUpMs = 3_600_000;
      await fake.advance(30_000);
      return { clock: fake, heartbeat, log };
    }

    test('what the peer has said meanwhile is read before it counts as gone', async () => {
      const { clock, heartbeat, log } = await anHourLater();

      expect(log).toEqual([]);
      heartbeat.heard();
      await clock.advance(59_000);
      expect(log).toEqual([]);
    });

    test('a peer that goes on to be silent is gone after one more interval', async () => {
      const { clock, log } = await anHourLater();

      await clock.advance(20_000);

      expect(log).toEqual(['dead']);
    });
  });

  test('a stopped heartbeat says nothing more', async () => {
    const { clock, log, heartbeat } = aHeartbeat();

    heartbeat.stop();
    await clock.advance(300_000);

    expect(log).toEqual([]);
  });
});
