import type { CancelTimer, Clock } from '@/lib/std/clock';

/** A timer that comes later than this was held up: this process was stopped, or its clock was set. */
export const HELD_UP_MS = 1_000;
const READING_MS = 1_000;

/**
 * `clock.after` for a verdict over a peer's silence: a process that was held up first reads what has come meanwhile,
 * since its timers run before its sockets.
 */
export function afterReading(clock: Clock, delayMs: number, run: () => void): CancelTimer {
  const dueMs = clock.now() + delayMs;
  let stop = clock.after(delayMs, () => {
    if (clock.now() - dueMs > HELD_UP_MS) stop = clock.after(READING_MS, run);
    else run();
  });
  return () => stop();
}
