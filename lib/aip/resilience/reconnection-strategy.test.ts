import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { type Logger, silentLogger } from '@/lib/std/logger';
import {
  CONSTELLATION_RECONNECTION,
  DEVICE_CLIENT_RECONNECTION,
  LIBRARY_RECONNECTION,
  type ReconnectionSettings,
  reconnectionDelayMs,
} from './reconnection-settings';
import { createReconnectionStrategy, type DisconnectionHooks, type ReconnectOutcome } from './reconnection-strategy';

const HOUR_MS = 3_600_000;

function aStrategy(settings: Partial<ReconnectionSettings> = {}) {
  const clock = createFakeClock();
  const logged: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (what) => logged.push(what), error: (what) => logged.push(what) };
  const random = createFakeRandom(0.5);
  const strategy = createReconnectionStrategy({ jitter: 0, ...settings }, { clock, random, logger });
  return { clock, logged, strategy };
}

/** Hooks that note what is called, with reconnects that go as told; the last outcome holds for all that follow. */
function notedHooks(
  outcomes: readonly ReconnectOutcome[],
  faults: Partial<Record<keyof DisconnectionHooks, Error>> = {},
) {
  const steps: string[] = [];
  let tries = 0;
  async function note(step: keyof DisconnectionHooks, detail = '') {
    steps.push(detail === '' ? step : `${step}(${detail})`);
    const fault = faults[step];
    if (fault) throw fault;
  }
  const hooks: DisconnectionHooks = {
    cancelPendingTasks: (reason) => note('cancelPendingTasks', reason),
    notify: (reason) => note('notify', reason),
    async reconnect() {
      await note('reconnect');
      const outcome = outcomes[Math.min(tries, outcomes.length - 1)] ?? false;
      tries += 1;
      return outcome;
    },
    onReconnect: () => note('onReconnect'),
  };
  return { hooks, steps };
}

describe('a lost connection', () => {
  test('has its tasks cancelled, is told, tried again, and only then welcomed back', async () => {
    const { clock, strategy } = aStrategy();
    const { hooks, steps } = notedHooks([false, true]);

    const handling = strategy.handleDisconnection('linux-1', hooks);
    await clock.advance(HOUR_MS);

    expect(await handling).toBe(true);
    expect(steps).toEqual([
      'cancelPendingTasks(device_disconnected)',
      'notify(device_disconnected)',
      'reconnect',
      'reconnect',
      'onReconnect',
    ]);
  });

  test('that cannot be brought back is given up after all tries, without a welcome', async () => {
    const { clock, logged, strategy } = aStrategy({ maxRetries: 3 });
    const { hooks, steps } = notedHooks([false]);

    const handling = strategy.handleDisconnection('linux-1', hooks);
    await clock.advance(HOUR_MS);

    expect(await handling).toBe(false);
    expect(steps.filter((step) => step === 'reconnect')).toHaveLength(3);
    expect(steps).not.toContain('onReconnect');
    expect(logged).toContain('reconnection-given-up');
  });

  test('under the policy none is cancelled and told, and not tried again', async () => {
    const { clock, strategy } = aStrategy({ policy: 'none' });
    const { hooks, steps } = notedHooks([true]);

    expect(await strategy.handleDisconnection('linux-1', hooks)).toBe(false);

    expect(steps).toEqual(['cancelPendingTasks(device_disconnected)', 'notify(device_disconnected)']);
    expect(clock.delays).toEqual([]);
  });

  test.each(['cancelPendingTasks', 'notify', 'onReconnect'] as const)(
    'is brought back though %s throws, and the fault is in the log',
    async (step) => {
      const { clock, logged, strategy } = aStrategy();
      const { hooks, steps } = notedHooks([true], { [step]: new Error('a fault') });

      const handling = strategy.handleDisconnection('linux-1', hooks);
      await clock.advance(HOUR_MS);

      expect(await handling).toBe(true);
      expect(steps).toHaveLength(4);
      expect(logged).toContain('reconnection-hook-failed');
    },
  );

  test('is not brought back by a reconnect that throws, which is one try and in the log', async () => {
    const { clock, logged, strategy } = aStrategy({ maxRetries: 2 });
    const { hooks, steps } = notedHooks([true], { reconnect: new Error('a fault') });

    const handling = strategy.handleDisconnection('linux-1', hooks);
    await clock.advance(HOUR_MS);

    expect(await handling).toBe(false);
    expect(steps.filter((step) => step === 'reconnect')).toHaveLength(2);
    expect(logged).toContain('reconnection-try-threw');
  });

  test('waits for each hook to end before the next one begins', async () => {
    const { clock, strategy } = aStrategy({ policy: 'immediate' });
    const steps: string[] = [];
    const slowly = (step: string) => () =>
      new Promise<void>((resolve) => {
        steps.push(`${step} begins`);
        clock.after(1_000, () => {
          steps.push(`${step} ends`);
          resolve();
        });
      });

    const handling = strategy.handleDisconnection('linux-1', {
      cancelPendingTasks: slowly('cancel'),
      notify: slowly('notify'),
      reconnect: async () => true,
      onReconnect: slowly('welcome'),
    });
    await clock.advance(HOUR_MS);
    await handling;

    expect(steps).toEqual(['cancel', 'notify', 'welcome'].flatMap((step) => [`${step} begins`, `${step} ends`]));
  });
});

describe('the count of tries', () => {
  test('[AIP-107] goes back to 0 with a confirmed registration and with nothing less', async () => {
    const { clock, strategy } = aStrategy();
    const seen: number[] = [];
    const outcomes = [false, false, { retryAfterMs: 0 }, true];

    const handling = strategy.attempt('linux-1', async () => {
      seen.push(strategy.attempts('linux-1'));
      return outcomes[seen.length - 1] ?? false;
    });
    await clock.advance(HOUR_MS);
    await handling;

    expect(seen).toEqual([0, 1, 2, 3]);
    expect(strategy.attempts('linux-1')).toBe(0);
  });

  test('[AIP-108] counts a refused registration like a failed connection', async () => {
    const { clock, strategy } = aStrategy({ maxRetries: 2 });
    const { hooks, steps } = notedHooks([{ retryAfterMs: 30_000 }]);

    const trying = strategy.attempt('linux-1', hooks.reconnect);
    await clock.advance(HOUR_MS);

    expect(await trying).toBe(false);
    expect(steps).toHaveLength(2);
    expect(strategy.attempts('linux-1')).toBe(2);
  });

  test('is one for each device', async () => {
    const { clock, strategy } = aStrategy({ maxRetries: 2 });

    const lost = strategy.attempt('linux-1', async () => false);
    const found = strategy.attempt('linux-2', async () => true);
    await clock.advance(HOUR_MS);

    expect([await lost, await found]).toEqual([false, true]);
    expect([strategy.attempts('linux-1'), strategy.attempts('linux-2')]).toEqual([2, 0]);
  });

  test('can be set back by hand, for one device or for all', async () => {
    const { clock, strategy } = aStrategy({ maxRetries: 1 });
    for (const device of ['linux-1', 'linux-2', 'linux-3']) void strategy.attempt(device, async () => false);
    await clock.advance(HOUR_MS);
    const counts = () => ['linux-1', 'linux-2', 'linux-3', 'never-seen'].map((device) => strategy.attempts(device));
    expect(counts()).toEqual([1, 1, 1, 0]);

    strategy.reset('linux-1');
    expect(counts()).toEqual([0, 1, 1, 0]);
    strategy.reset();

    expect(counts()).toEqual([0, 0, 0, 0]);
  });

  test('does not hinder the next loss, which has all tries again', async () => {
    const { clock, strategy } = aStrategy({ maxRetries: 2 });
    const { hooks, steps } = notedHooks([false]);
    void strategy.handleDisconnection('linux-1', hooks);
    await clock.advance(HOUR_MS);

    void strategy.handleDisconnection('linux-1', hooks);
    await clock.advance(HOUR_MS);

    expect(steps.filter((step) => step === 'reconnect')).toHaveLength(4);
  });
});

describe('a try that asks for patience', () => {
  test('is followed by a wait of at least that length, and then by waits as planned', async () => {
    const { clock, strategy } = aStrategy({ maxRetries: 4, maxBackoffMs: 4_000 });
    const { hooks } = notedHooks([{ retryAfterMs: 10 }, { retryAfterMs: 90_000 }, false, true]);

    const trying = strategy.attempt('linux-1', hooks.reconnect);
    await clock.advance(HOUR_MS);

    expect(await trying).toBe(true);
    expect(clock.delays).toEqual([1_000, 2_000, 90_000, 4_000]);
  });
});

describe('cancelled', () => {
  test('while it waits, it ends at once', async () => {
    const { clock, strategy } = aStrategy();
    const { hooks, steps } = notedHooks([true]);
    const { cancellation, cancel } = createCancellation();
    const handling = strategy.handleDisconnection('linux-1', hooks, cancellation);
    await clock.advance(500);

    cancel();

    expect(await handling).toBe(false);
    expect(steps).toEqual(['cancelPendingTasks(device_disconnected)', 'notify(device_disconnected)']);
  });

  test('during a try, the try is told, and its success is nobody’s any more', async () => {
    const { clock, strategy } = aStrategy();
    const { cancellation, cancel } = createCancellation();
    const { hooks, steps } = notedHooks([true]);
    let wasTold = false;
    const reconnect: DisconnectionHooks['reconnect'] = async (told) => {
      cancel();
      wasTold = told.isCancelled;
      return true;
    };

    const handling = strategy.handleDisconnection('linux-1', { ...hooks, reconnect }, cancellation);
    await clock.advance(HOUR_MS);

    expect(await handling).toBe(false);
    expect(wasTold).toBe(true);
    expect(steps).not.toContain('onReconnect');
  });

  test('beforehand, the loss is still dealt with', async () => {
    const { clock, strategy } = aStrategy();
    const { hooks, steps } = notedHooks([true]);
    const { cancellation, cancel } = createCancellation();
    cancel();

    expect(await strategy.handleDisconnection('linux-1', hooks, cancellation)).toBe(false);

    expect(steps).toEqual(['cancelPendingTasks(device_disconnected)', 'notify(device_disconnected)']);
    expect(clock.delays).toEqual([]);
  });
});

test('with endless tries a device that is away for days comes back', async () => {
  const { clock, strategy } = aStrategy({ maxRetries: Number.POSITIVE_INFINITY });
  let tries = 0;

  const trying = strategy.attempt('linux-1', async () => {
    tries += 1;
    return tries === 2_000;
  });
  await clock.advance(2_000 * 60_000);

  expect(await trying).toBe(true);
});

describe('[AIP-106] the plans of the endpoints', () => {
  test.each([
    ['library', LIBRARY_RECONNECTION, { maxRetries: 5, initialBackoffMs: 1_000 }],
    ['constellation', CONSTELLATION_RECONNECTION, { maxRetries: 5, initialBackoffMs: 1_000 }],
    ['device client', DEVICE_CLIENT_RECONNECTION, { maxRetries: 3, initialBackoffMs: 2_000 }],
  ])('%s: waits double up to 60 s, with jitter', (_name, plan, expected) => {
    expect(plan).toMatchObject({ policy: 'exponential_backoff', ...expected });

    expect(reconnectionDelayMs(plan, 0, 0)).toBe(expected.initialBackoffMs / 2);
    expect(reconnectionDelayMs(plan, 1, 0.999_999)).toBe(expected.initialBackoffMs * 2);
    expect(reconnectionDelayMs(plan, 1_000, 0)).toBe(30_000);
    expect(reconnectionDelayMs(plan, 1_000, 0.999_999)).toBe(60_000);
  });
});

test('full jitter spreads a wait over its whole range, but not below the least wait', () => {
  const plan = { ...LIBRARY_RECONNECTION, jitter: 1, minBackoffMs: 500 };

  expect(reconnectionDelayMs(plan, 3, 0)).toBe(500);
  expect(reconnectionDelayMs(plan, 3, 0.5)).toBe(4_000);
});

test('slow growth goes on for as long as it takes to reach the longest wait', () => {
  const plan = { ...LIBRARY_RECONNECTION, initialBackoffMs: 100, backoffMultiplier: 1.05, jitter: 0 };

  expect(reconnectionDelayMs(plan, 100, 0)).toBe(13_150);
  expect(reconnectionDelayMs(plan, 1_000_000, 0)).toBe(60_000);
});

test.each<[string, Partial<ReconnectionSettings>]>([
  ['maxRetries', { maxRetries: -1 }],
  ['maxRetries', { maxRetries: 2.5 }],
  ['maxRetries', { maxRetries: Number.NaN }],
  ['initialBackoffMs', { initialBackoffMs: -5 }],
  ['maxBackoffMs', { maxBackoffMs: Number.POSITIVE_INFINITY }],
  ['backoffMultiplier', { backoffMultiplier: Number.NaN }],
  ['minBackoffMs', { minBackoffMs: -1 }],
  ['jitter', { jitter: 1.1 }],
  ['jitter', { jitter: -0.1 }],
])('a plan whose %s is out of range is refused with its name', (name, settings) => {
  expect(() => aStrategy(settings)).toThrow(new RegExp(`^Expected ${name} `));
});

const plans = fc.record<ReconnectionSettings>({
  policy: fc.constantFrom('exponential_backoff', 'linear_backoff', 'immediate', 'none'),
  maxRetries: fc.integer({ min: 0, max: 12 }),
  initialBackoffMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
  maxBackoffMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
  backoffMultiplier: fc.double({ min: 0, max: 1e6, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  minBackoffMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
});

test('no plan ever waits for less than nothing or for longer than its longest wait', () => {
  const attempts = fc.oneof(fc.nat(100), fc.nat(Number.MAX_SAFE_INTEGER));
  const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(plans, attempts, fractions, (plan, attempt, fraction) => {
      const delayMs = reconnectionDelayMs(plan, attempt, fraction);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(plan.maxBackoffMs);
    }),
    { seed: 20260102, numRuns: 5_000 },
  );
});

test('whatever the plan and the luck, tries never exceed their number, and a success or a reset leaves 0', async () => {
  const luck = fc.array(fc.constantFrom(true, false, 'throws' as const), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(plans, luck, async (plan, outcomes) => {
      const { clock, strategy } = aStrategy(plan);
      const counted: number[] = [];
      const trying = strategy.attempt('linux-1', async () => {
        const outcome = outcomes[counted.length] ?? false;
        counted.push(strategy.attempts('linux-1'));
        if (outcome === 'throws') throw new Error('refused');
        return outcome;
      });
      await clock.advance(1e11);
      const isBack = await trying;

      const firstSuccess = plan.policy === 'none' ? -1 : outcomes.slice(0, plan.maxRetries).indexOf(true);
      expect(isBack).toBe(firstSuccess >= 0);
      expect(counted).toEqual(counted.map((_count, index) => index));
      expect(counted.length).toBeLessThanOrEqual(plan.maxRetries);
      expect(strategy.attempts('linux-1')).toBe(isBack ? 0 : counted.length);
      strategy.reset('linux-1');
      expect(strategy.attempts('linux-1')).toBe(0);
    }),
    { seed: 20260102, numRuns: 150 },
  );
});
