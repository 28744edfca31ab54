import type { Clock } from '@/lib/std/clock';
import { durationMs } from './duration';
import { STOCK_TIMERS } from './timer-defaults';
import { type Timed, withinTime } from './wait';

/** An operation had no outcome in its time. Whatever becomes of it later is ignored. */
export class OperationTimeoutError extends Error {
  readonly code = 'operation-timeout';
  readonly operation: string;
  readonly timeoutMs: number;

  constructor(operation: string, timeoutMs: number) {
    super(`Expected ${operation} to end within ${timeoutMs} ms, it did not; look at the peer, or allow more time`);
    this.name = 'OperationTimeoutError';
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** What is waited for: under way already, or to be begun now. */
export type TimedWork<Value> = Promise<Value> | (() => Promise<Value>);

export type TimeoutManagerOptions = {
  readonly clock: Clock;
  /** For operations that name no time of their own; 120 s by default. */
  readonly defaultMs?: number;
};

export type TimeoutManager = {
  readonly defaultMs: number;
  /**
   * The outcome of the work, if it comes in time.
   *
   * @param operation - its name, for whoever reads the error
   * @param timeoutMs - 0, `null` and `undefined` mean the default
   * @throws OperationTimeoutError when it is late, else what the work throws; RangeError for a time that is none
   */
  withTimeout<Value>(operation: string, work: TimedWork<Value>, timeoutMs?: number | null): Promise<Value>;
  /** As `withTimeout`, but late work gives `undefined`. */
  withTimeoutOrNone<Value>(
    operation: string,
    work: TimedWork<Value>,
    timeoutMs?: number | null,
  ): Promise<Value | undefined>;
};

/**
 * Gives every operation an end.
 *
 * @throws RangeError when the default is no positive, finite number of milliseconds
 * @see microsoft/UFO, aip/resilience/timeout.py
 */
export function createTimeoutManager(options: TimeoutManagerOptions): TimeoutManager {
  const { clock } = options;
  const defaultMs = durationMs(options.defaultMs ?? STOCK_TIMERS.operationMs, Number.NaN);

  async function outcomeOf<Value>(
    work: TimedWork<Value>,
    askedMs: number | null | undefined,
  ): Promise<{ readonly timeoutMs: number; readonly timed: Timed<Value> }> {
    // Work that is under way may fail while a wrong time is being complained about.
    if (typeof work !== 'function') work.catch(() => {});
    const timeoutMs = durationMs(askedMs, defaultMs);
    const timed = await withinTime(clock, timeoutMs, typeof work === 'function' ? work() : work);
    return { timeoutMs, timed };
  }

  return {
    defaultMs,
    async withTimeout(operation, work, askedMs) {
      const { timeoutMs, timed } = await outcomeOf(work, askedMs);
      if (!timed.inTime) throw new OperationTimeoutError(operation, timeoutMs);
      return timed.value;
    },
    async withTimeoutOrNone(_operation, work, askedMs) {
      const { timed } = await outcomeOf(work, askedMs);
      return timed.inTime ? timed.value : undefined;
    },
  };
}
