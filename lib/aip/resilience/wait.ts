import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';

/** Resolves after the delay, or as soon as the wait is cancelled. */
export function wait(clock: Clock, delayMs: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(delayMs, () => {
      forget();
      resolve();
    });
    const forget = cancellation.onCancelled(() => {
      stopTimer();
      resolve();
    });
  });
}

export type Timed<Value> = { readonly inTime: true; readonly value: Value } | { readonly inTime: false };

/**
 * What a promise gives within a time; afterwards its outcome is ignored, a late rejection included.
 *
 * @throws what the promise rejects with in time
 */
export function withinTime<Value>(clock: Clock, timeoutMs: number, promise: Promise<Value>): Promise<Timed<Value>> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.after(timeoutMs, () => resolve({ inTime: false }));
    promise.then(
      (value) => {
        stopTimer();
        resolve({ inTime: true, value });
      },
      (cause) => {
        stopTimer();
        reject(cause);
      },
    );
  });
}
