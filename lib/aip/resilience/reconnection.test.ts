import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { reconnectByPlan, reconnectDelayMs, STOCK_RECONNECTION } from './reconnection';

describe('trying again by a plan', () => {
  test('a reconnect that throws each time is tried as often as the plan says', async () => {
    const clock = createFakeClock();
    const trying = reconnectByPlan(STOCK_RECONNECTION, { clock, random: createFakeRandom() }, async () => {
      throw new Error('refused');
    });
    await clock.advance(60_000);

    expect(await trying).toBe(false);
    expect(clock.delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test('the policy none tries nothing, the policy immediate does not wait', async () => {
    const clock = createFakeClock();
    const ports = { clock, random: createFakeRandom() };
    let calls = 0;
    const secondTime = async () => {
      calls += 1;
      return calls === 2;
    };

    expect(await reconnectByPlan({ ...STOCK_RECONNECTION, policy: 'none' }, ports, secondTime)).toBe(false);
    expect(calls).toBe(0);
    const trying = reconnectByPlan({ ...STOCK_RECONNECTION, policy: 'immediate' }, ports, secondTime);
    await clock.advance(0);
    expect(await trying).toBe(true);
    expect(clock.delays).toEqual([0, 0]);
  });

  test('a cancelled wait ends the attempts at once', async () => {
    const { cancellation, cancel } = createCancellation();
    const ports = { clock: createFakeClock(), random: createFakeRandom(), cancellation };
    const trying = reconnectByPlan(STOCK_RECONNECTION, ports, async () => true);

    cancel();

    expect(await trying).toBe(false);
  });
});

test('jitter spreads a delay over its whole range, never below the floor', () => {
  const plan = { ...STOCK_RECONNECTION, jitter: 1, floorMs: 500 };

  expect(reconnectDelayMs(plan, 3, 0)).toBe(500);
  expect(reconnectDelayMs(plan, 3, 0.5)).toBe(4_000);
  expect(reconnectDelayMs(plan, 1_000, 0.999)).toBeLessThanOrEqual(60_000);
});
