import type { Clock } from '@/lib/std/clock';

export type FakeClock = Clock & {
  /** Lets time pass and everything that waits for it run, in order. */
  advance(ms: number): Promise<void>;
  /** Delays that were asked of `after`, in order. */
  readonly delays: readonly number[];
};

type Timer = { atMs: number; readonly everyMs: number | undefined; readonly run: () => void };

export function createFakeClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  const delays: number[] = [];

  function add(timer: Timer) {
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  }

  function nextDue(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.atMs <= untilMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
    }
    return next;
  }

  return {
    delays,
    now: () => nowMs,
    after(delayMs, run) {
      delays.push(delayMs);
      return add({ atMs: nowMs + delayMs, everyMs: undefined, run });
    },
    every: (everyMs, run) => add({ atMs: nowMs + everyMs, everyMs, run }),
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        nowMs = Math.max(nowMs, timer.atMs);
        if (timer.everyMs === undefined) timers.delete(timer);
        else timer.atMs += timer.everyMs;
        timer.run();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}

/** Lets everything that waits for no clock run to its end. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
