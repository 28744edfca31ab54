import type { Clock } from '@/lib/std/clock';

/** The longest delay that Node's timers can hold; beyond it they fire at once. */
const DELAY_MS_MAX = 2_147_483_647;

export function createNodeClock(): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, run) {
      const timer = setTimeout(run, Math.min(delayMs, DELAY_MS_MAX));
      return () => clearTimeout(timer);
    },
    every(intervalMs, run) {
      const timer = setInterval(run, Math.min(intervalMs, DELAY_MS_MAX));
      return () => clearInterval(timer);
    },
  };
}
