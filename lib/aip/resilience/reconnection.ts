import { type Cancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import { type ReconnectionPolicy, reconnectionDelayMs } from './reconnection-settings';
import { wait } from './wait';

export type ReconnectionPlan = {
  readonly policy: ReconnectionPolicy;
  readonly retriesMax: number;
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** Share of the delay that is random: 0 is none, 1 is full jitter. */
  readonly jitter: number;
  /** No wait is shorter, whatever chance says. */
  readonly floorMs: number;
};

/** The stock library's plan, with the jitter that its description promises and its code lacks switched off. */
export const STOCK_RECONNECTION: ReconnectionPlan = {
  policy: 'exponential_backoff',
  retriesMax: 5,
  initialMs: 1_000,
  maxMs: 60_000,
  factor: 2,
  jitter: 0,
  floorMs: 0,
};

/**
 * The wait before attempt `attempt` (0 is the first retry), in milliseconds.
 *
 * @param fraction - random, in [0, 1)
 */
export function reconnectDelayMs(plan: ReconnectionPlan, attempt: number, fraction: number): number {
  const settings = {
    policy: plan.policy,
    maxRetries: plan.retriesMax,
    initialBackoffMs: plan.initialMs,
    maxBackoffMs: plan.maxMs,
    backoffMultiplier: plan.factor,
    jitter: plan.jitter,
    minBackoffMs: plan.floorMs,
  };
  return reconnectionDelayMs(settings, attempt, fraction);
}

export type ReconnectionPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly cancellation?: Cancellation;
};

/**
 * Tries to connect again until it succeeds, the plan's attempts are used up or the wait is cancelled.
 *
 * @param reconnect - says whether it succeeded; a rejection counts as a failure
 */
export async function reconnectByPlan(
  plan: ReconnectionPlan,
  ports: ReconnectionPorts,
  reconnect: () => Promise<boolean>,
): Promise<boolean> {
  if (plan.policy === 'none') return false;
  const cancellation = ports.cancellation ?? neverCancelled;
  for (let attempt = 0; attempt < plan.retriesMax; attempt += 1) {
    await wait(ports.clock, reconnectDelayMs(plan, attempt, ports.random.fraction()), cancellation);
    if (cancellation.isCancelled) return false;
    try {
      if (await reconnect()) return true;
    } catch {
      // Nothing is lost: a failed attempt is what the next one is for, and the caller's `reconnect` knows why it failed.
    }
  }
  return false;
}
