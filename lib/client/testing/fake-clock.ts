import type { Clock } from '@/lib/std/clock';

type Timer = { dueAtMs: number; readonly everyMs: number | undefined; readonly run: () => void };

/** Time that moves only when told, and fires what falls due on the way, in order. */
export type FakeClock = Clock & { advance(ms: number): void };

export function createFakeClock(startMs = 1_000_000): FakeClock {
  const timers = new Set<Timer>();
  let nowMs = startMs;

  function start(delayMs: number, run: () => void, everyMs?: number): () => void {
    const timer: Timer = { dueAtMs: nowMs + delayMs, everyMs, run };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  return {
    now: () => nowMs,
    after: (delayMs, run) => start(delayMs, run),
    every: (intervalMs, run) => start(intervalMs, run, intervalMs),
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.dueAtMs <= endMs).sort((a, b) => a.dueAtMs - b.dueAtMs);
        if (next === undefined) break;
        nowMs = next.dueAtMs;
        if (next.everyMs === undefined) timers.delete(next);
        else next.dueAtMs += next.everyMs;
        next.run();
      }
      nowMs = endMs;
    },
  };
}
