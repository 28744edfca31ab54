import { backoffDelayMs } from '@/lib/std/backoff';

export type ReconnectionPolicy = 'exponential_backoff' | 'linear_backoff' | 'immediate' | 'none';

/** How often and how fast a lost connection is tried again. Times are milliseconds. */
export type ReconnectionSettings = {
  /** `immediate` does not wait, `none` does not try. */
  readonly policy: ReconnectionPolicy;
  /** Tries in a row without success before giving up; may be Infinity. */
  readonly maxRetries: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  /** For exponential growth only. */
  readonly backoffMultiplier: number;
  /** Share of a wait that is left to chance: 0 is none, 0.5 equal jitter, 1 full jitter. It only ever shortens. */
  readonly jitter: number;
  /** No wait is shorter, whatever chance says; it counts for the policies that wait. */
  readonly minBackoffMs: number;
};

/**
 * The library's own plan: 5 tries, 1, 2, 4, 8 and 16 s apart. The reference's papers promise jitter that its code
 * lacks; ours is equal jitter, since full jitter could use up a handful of tries within moments.
 *
 * @see microsoft/UFO, aip/resilience/reconnection.py; AWS Architecture Blog, "Exponential Backoff And Jitter"
 */
export const LIBRARY_RECONNECTION: ReconnectionSettings = {
  policy: 'exponential_backoff',
  maxRetries: 5,
  initialBackoffMs: 1_000,
  maxBackoffMs: 60_000,
  backoffMultiplier: 2,
  jitter: 0.5,
  minBackoffMs: 0,
};

/** @see microsoft/UFO, aip/endpoints/constellation_endpoint.py */
export const CONSTELLATION_RECONNECTION: ReconnectionSettings = { ...LIBRARY_RECONNECTION };

/** @see microsoft/UFO, aip/endpoints/client_endpoint.py */
export const DEVICE_CLIENT_RECONNECTION: ReconnectionSettings = {
  ...LIBRARY_RECONNECTION,
  maxRetries: 3,
  initialBackoffMs: 2_000,
};

/**
 * The wait before a try, in milliseconds; never above `maxBackoffMs`.
 *
 * @param attempt - 0 is the first try after the loss
 * @param fraction - random, in [0, 1)
 */
export function reconnectionDelayMs(settings: ReconnectionSettings, attempt: number, fraction: number): number {
  const { policy, maxBackoffMs: maxMs, jitter, minBackoffMs } = settings;
  if (policy === 'immediate' || policy === 'none') return 0;
  const cappedMs = Math.min(grownMs(settings, attempt), maxMs);
  const spreadMs = backoffDelayMs({ initialMs: cappedMs, factor: 1, maxMs, jitter }, 0, fraction);
  return Math.min(Math.max(spreadMs, minBackoffMs), maxMs);
}

function grownMs({ policy, initialBackoffMs, backoffMultiplier }: ReconnectionSettings, attempt: number): number {
  if (initialBackoffMs === 0) return 0; // times an endless power it would be no number
  if (policy === 'linear_backoff') return initialBackoffMs * (attempt + 1);
  return initialBackoffMs * backoffMultiplier ** attempt;
}

/** @throws RangeError with the name of the first setting that is out of its range */
export function assertReconnectionSettings(settings: ReconnectionSettings): void {
  const { maxRetries, jitter } = settings;
  const isCount = maxRetries === Number.POSITIVE_INFINITY || Number.isSafeInteger(maxRetries);
  if (!isCount || maxRetries < 0) throw outOfRange('maxRetries', 'a whole number from 0 on, or Infinity', maxRetries);
  for (const name of ['initialBackoffMs', 'maxBackoffMs', 'backoffMultiplier', 'minBackoffMs'] as const) {
    const value = settings[name];
    if (!Number.isFinite(value) || value < 0) throw outOfRange(name, 'a finite number from 0 on', value);
  }
  if (!(jitter >= 0 && jitter <= 1)) throw outOfRange('jitter', 'a share from 0 to 1', jitter);
}

function outOfRange(name: string, expected: string, value: number): RangeError {
  return new RangeError(`Expected ${name} of a reconnection to be ${expected}, got ${value}`);
}
