import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { type VectorCase, vectorCases } from '@/lib/aip/testing/vectors';
import { silentLogger } from '@/lib/std/logger';
import { type ReconnectionSettings, reconnectionDelayMs } from './reconnection-settings';
import { createReconnectionStrategy, type DisconnectionHooks } from './reconnection-strategy';
import { STOCK_TIMERS } from './timer-defaults';

const cases = await vectorCases('backoff');
const LONGEST_TIMER_MS = 2_147_483_647;

type Recorded = {
  readonly seconds: number[];
  readonly waits: number[];
  readonly reconnect_calls: number;
  readonly result: boolean | null;
  readonly retry_count_after: number;
  readonly cancelled: number;
  readonly notified: number;
  readonly connection_attempts: number;
};

/** The vector files are part of this repository, so their shape is known. */
function recordedOf(vector: VectorCase): Recorded {
  return vector.output as Recorded;
}

/** The same holds for what goes in. */
function stockSettings(vector: VectorCase) {
  return vector.input as {
    readonly max_retries?: number;
    readonly initial_backoff?: number;
    readonly max_backoff?: number;
    readonly backoff_multiplier?: number;
    readonly policy?: ReconnectionSettings['policy'];
  };
}

function settingsOf(vector: VectorCase): ReconnectionSettings {
  const stock = stockSettings(vector);
  return {
    policy: stock.policy ?? 'exponential_backoff',
    maxRetries: stock.max_retries ?? 5,
    initialBackoffMs: (stock.initial_backoff ?? 1) * 1000,
    maxBackoffMs: (stock.max_backoff ?? 60) * 1000,
    backoffMultiplier: stock.backoff_multiplier ?? 2,
    jitter: 0,
    minBackoffMs: 0,
  };
}

function aStrategy(settings: Partial<ReconnectionSettings>) {
  const clock = createFakeClock();
  const random = createFakeRandom(0.7);
  return { clock, strategy: createReconnectionStrategy(settings, { clock, random, logger: silentLogger }) };
}

function casesOf(kind: string) {
  const named = cases.filter(({ name }) => name.startsWith(`${kind}:`));
  return named.map((vector) => [vector.name, vector] as const);
}

test('every recorded case of reconnection runs', () => {
  const kinds = ['delay-by-retry-count', 'attempt', 'device-client-loop', 'galaxy-constellation-loop'];
  expect(kinds.flatMap(casesOf)).toHaveLength(cases.length);
});

describe('the waits of the stock library', () => {
  test.each(casesOf('delay-by-retry-count'))('[AIP-105] %s', (_name, vector) => {
    const { seconds } = recordedOf(vector);
    const settings = settingsOf(vector);
    const { strategy } = aStrategy(settings);

    expect(seconds.map((_wait, attempt) => strategy.delayMs(attempt) / 1000)).toEqual(seconds);
    expect(seconds.map((_wait, attempt) => reconnectionDelayMs(settings, attempt, 0.999) / 1000)).toEqual(seconds);
  });
});

describe('the tries of the stock library', () => {
  /** What the recorded reconnects did; the recording itself says it only in its case's name. */
  const RECONNECTS: Record<string, (call: number) => boolean> = {
    'attempt:raises-each-time': () => {
      throw new Error('refused');
    },
    'attempt:zero-retries': () => true,
    'attempt:device-wrapper-exhausted': () => false,
    'attempt:handle_disconnection': () => true,
    'attempt:handle_disconnection-policy-none': () => true,
    'attempt:immediate': (call) => call === 2,
  };

  test.each(casesOf('attempt'))('[AIP-105] %s', async (name, vector) => {
    const { clock, strategy } = aStrategy(settingsOf(vector));
    const count = { calls: 0, cancelled: 0, notified: 0 };
    const outcome = RECONNECTS[name];
    const hooks: DisconnectionHooks = {
      cancelPendingTasks: () => {
        count.cancelled += 1;
      },
      notify: () => {
        count.notified += 1;
      },
      reconnect: async () => {
        count.calls += 1;
        if (!outcome) throw new Error(`Expected to know what ${name} does; add it to RECONNECTS`);
        return outcome(count.calls);
      },
    };
    const isWhole = name.startsWith('attempt:handle_disconnection');

    const trying = isWhole ? strategy.handleDisconnection('d', hooks) : strategy.attempt('d', hooks.reconnect);
    await clock.advance(120_000);

    const result = await trying;
    const recorded = recordedOf(vector);
    // The stock handler returns nothing; ours says whether the device is back.
    expect(result).toBe(recorded.result ?? recorded.reconnect_calls > 0);
    expect({
      waits: clock.delays.map((delayMs) => delayMs / 1000),
      reconnect_calls: count.calls,
      retry_count_after: strategy.attempts('d'),
      cancelled: count.cancelled,
      notified: count.notified,
    }).toEqual({ ...recorded, result: undefined });
  });
});

/** A first connection that fails, and what the strategy makes of it. */
async function connectInVain(settings: Partial<ReconnectionSettings>) {
  const { clock, strategy } = aStrategy({ jitter: 0, ...settings });
  let connections = 1;
  const trying = strategy.attempt('d', async () => {
    connections += 1;
    return false;
  });
  await clock.advance(10_000_000);
  await trying;
  return { waits: clock.delays.map((delayMs) => delayMs / 1000), connection_attempts: connections };
}

describe('the loop of the stock device client is one of our plans', () => {
  // It counts its first connection among the tries, and its waits have no cap; our own plans end at 60 s (AIP-106).
  test.each(casesOf('device-client-loop'))('%s', async (_name, vector) => {
    const maxTries = stockSettings(vector).max_retries ?? 0;
    const settings = { maxRetries: maxTries - 1, initialBackoffMs: 2_000, maxBackoffMs: LONGEST_TIMER_MS };

    const made = maxTries === 0 ? { waits: [], connection_attempts: 0 } : await connectInVain(settings);

    expect(made).toEqual(recordedOf(vector));
  });
});

describe('the loop of the stock constellation is one of our plans', () => {
  // It looks at its limit once before the first wait, already with the first connection counted: 1 means no wait.
  test.each(casesOf('galaxy-constellation-loop'))('%s', async (_name, vector) => {
    const maxRetries = stockSettings(vector).max_retries ?? 0;
    const settings = { initialBackoffMs: STOCK_TIMERS.reconnectMs, backoffMultiplier: 1 };

    const made = await connectInVain({ ...settings, maxRetries: maxRetries > 1 ? maxRetries : 0 });

    expect(made).toEqual({
      waits: recordedOf(vector).waits,
      connection_attempts: recordedOf(vector).connection_attempts,
    });
  });
});
