import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { type VectorCase, vectorCases } from '@/lib/aip/testing/vectors';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { startHeartbeat } from './heartbeat';
import { type ReconnectionPlan, reconnectByPlan, reconnectDelayMs, STOCK_RECONNECTION } from './reconnection';
import { CONSTELLATION_TIMERS, DEVICE_CLIENT_TIMERS, DEVICE_SERVER_TIMERS, STOCK_TIMERS } from './timer-defaults';
import { wait, withinTime } from './wait';

const backoffCases = await vectorCases('backoff');
const defaultsCases = await vectorCases('defaults');

type StockPlan = {
  readonly max_retries?: number;
  readonly initial_backoff?: number;
  readonly max_backoff?: number;
  readonly backoff_multiplier?: number;
  readonly policy?: ReconnectionPlan['policy'];
};

function planOf(vector: VectorCase): ReconnectionPlan {
  const stock = vector.input as StockPlan;
  return {
    ...STOCK_RECONNECTION,
    policy: stock.policy ?? STOCK_RECONNECTION.policy,
    retriesMax: stock.max_retries ?? STOCK_RECONNECTION.retriesMax,
    initialMs: (stock.initial_backoff ?? 1) * 1000,
    maxMs: (stock.max_backoff ?? 60) * 1000,
    factor: stock.backoff_multiplier ?? 2,
  };
}

describe('the delays of the stock library', () => {
  const cases = backoffCases.filter(({ name }) => name.startsWith('delay-by-retry-count:'));
  test.each(cases.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { seconds } = vector.output as { seconds: number[] };

    const delays = seconds.map((_delay, attempt) => reconnectDelayMs(planOf(vector), attempt, 0.7) / 1000);

    expect(delays).toEqual(seconds);
  });
});

describe('the attempts of the stock library', () => {
  const cases = backoffCases.filter(({ name }) =>
    ['attempt:raises-each-time', 'attempt:zero-retries', 'attempt:device-wrapper-exhausted'].includes(name),
  );
  test.each(cases.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const clock = createFakeClock();
    let calls = 0;
    const trying = reconnectByPlan(planOf(vector), { clock, random: createFakeRandom() }, async () => {
      calls += 1;
      throw new Error('refused');
    });
    await clock.advance(60_000);

    expect(await trying).toBe(false);
    expect({ waits: clock.delays.map((delay) => delay / 1000), reconnect_calls: calls }).toMatchObject({
      waits: vector.output !== undefined && (vector.output as { waits: number[] }).waits,
      reconnect_calls: vector.output !== undefined && (vector.output as { reconnect_calls: number }).reconnect_calls,
    });
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

test('the stock numbers are those that the stock classes have', () => {
  const stock = Object.fromEntries(defaultsCases.map(({ name, output }) => [name, output])) as Record<
    string,
    Record<string, number | string>
  >;

  expect(STOCK_TIMERS.operationMs).toBe(Number(stock.TimeoutManager?.default_timeout) * 1000);
  expect(STOCK_TIMERS.heartbeatMs).toBe(Number(stock['aip HeartbeatManager']?.default_interval) * 1000);
  expect(STOCK_TIMERS.reconnectMs).toBe(Number(stock.ConstellationDeviceManager?.reconnect_delay) * 1000);
  const assign = stock['ConstellationDeviceManager.assign_task_to_device'];
  expect(STOCK_TIMERS.taskMs).toBe(Number(assign?.timeout) * 1000);
  const execute = stock['WebSocketCommandDispatcher.execute_commands'];
  expect(STOCK_TIMERS.commandMs).toBe(Number(execute?.timeout) * 1000);
  expect(STOCK_RECONNECTION).toMatchObject({
    retriesMax: stock.ReconnectionStrategy?.max_retries,
    initialMs: Number(stock.ReconnectionStrategy?.initial_backoff) * 1000,
    maxMs: Number(stock.ReconnectionStrategy?.max_backoff) * 1000,
    factor: stock.ReconnectionStrategy?.backoff_multiplier,
    policy: stock.ReconnectionStrategy?.policy,
  });
});

test('our own numbers beat at least every 30 s and wait for a device no longer than the stock peers', () => {
  expect(CONSTELLATION_TIMERS.heartbeatMs).toBeLessThanOrEqual(STOCK_TIMERS.heartbeatMs);
  expect(DEVICE_CLIENT_TIMERS.heartbeatMs).toBeLessThanOrEqual(STOCK_TIMERS.heartbeatMs);
  expect(DEVICE_SERVER_TIMERS.commandMs).toBe(STOCK_TIMERS.commandMs);
  expect(DEVICE_CLIENT_TIMERS.reconnectMaxMs).toBe(60_000);
});

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

describe('waiting', () => {
  test('a promise that is late counts for nothing, not even its failure', async () => {
    const clock = createFakeClock();
    let reject = (_cause: Error) => {};
    const late = withinTime(
      clock,
      100,
      new Promise((_resolve, fail) => {
        reject = fail;
      }),
    );
    await clock.advance(100);

    reject(new Error('too late'));

    expect(await late).toEqual({ inTime: false });
  });

  test('a promise that is in time gives its value or its failure', async () => {
    const clock = createFakeClock();

    expect(await withinTime(clock, 100, Promise.resolve(7))).toEqual({ inTime: true, value: 7 });
    await expect(withinTime(clock, 100, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('a wait that is cancelled before it begins is none', async () => {
    const { cancellation, cancel } = createCancellation();
    cancel();

    await wait(createFakeClock(), 1_000_000, cancellation);
  });
});
