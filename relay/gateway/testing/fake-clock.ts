import type { Clock } from '@/lib/std/clock';

export type FakeClock = Clock & { advance(ms: number): void };

type Timer = { dueMs: number; readonly everyMs: number | null; readonly run: () => void };

/** Time that moves only when the test says so; timers fire in order of their due times. */
export function createFakeClock(startMs = 1_800_000_000_000): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();

  function add(timer: Timer) {
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function nextDue(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }

  return {
    now: () => nowMs,
    after: (delayMs, run) => add({ dueMs: nowMs + delayMs, everyMs: null, run }),
    every: (intervalMs, run) => add({ dueMs: nowMs + intervalMs, everyMs: intervalMs, run }),
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        nowMs = timer.dueMs;
        if (timer.everyMs === null) timers.delete(timer);
        else timer.dueMs += timer.everyMs;
        timer.run();
      }
      nowMs = untilMs;
    },
  };
}
