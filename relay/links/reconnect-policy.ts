import { backoffDelayMs } from '@/lib/std/backoff';

/** What went wrong with a link, as far as it decides when to try again. */
export type LinkFailure = 'unreachable' | 'unauthorized' | 'absent' | 'not-allowed';

export type NextTry = {
  readonly delayMs: number;
  /** `failed` devices are out of scheduling; both come back by themselves. */
  readonly status: 'disconnected' | 'failed';
};

const FLOOR_MS = 500;
const SLOW_MS = 60_000;
const UNREACHABLE = { initialMs: 1_000, factor: 2, maxMs: 60_000, jitter: 1 };
/** The server answers, so asking is cheap, and a device that returns should be seen soon. */
const ABSENT = { initialMs: 1_000, factor: 2, maxMs: 10_000, jitter: 0.5 };

type Situation = {
  readonly failure: LinkFailure;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly maxRetries: number;
  /** Random, in [0, 1). */
  readonly fraction: number;
};

/**
 * When to try a link again: with growing, jittered delay, after `maxRetries` in a row once a minute. A device that is only
 * away from its server is never given up on, and a wrong token is not hurried.
 */
export function nextTry({ failure, failures, maxRetries, fraction }: Situation): NextTry {
  const attempt = failures - 1;
  if (failure === 'absent') {
    return { delayMs: Math.max(FLOOR_MS, backoffDelayMs(ABSENT, attempt, fraction)), status: 'disconnected' };
  }
  if (failure === 'unauthorized' || failure === 'not-allowed' || failures > maxRetries) {
    return { delayMs: Math.round(SLOW_MS * (0.9 + 0.1 * fraction)), status: 'failed' };
  }
  return { delayMs: Math.max(FLOOR_MS, backoffDelayMs(UNREACHABLE, attempt, fraction)), status: 'disconnected' };
}
