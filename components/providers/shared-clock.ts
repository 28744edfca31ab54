/** One tick a second for the whole page, so that all ages and durations change together. Stands still while hidden. */
export type SharedClock = {
  subscribe(listener: () => void): () => void;
  /** Unix milliseconds of this browser at the last tick. */
  read(): number;
};

const TICK_MS = 1_000;

export function createSharedClock(): SharedClock {
  const listeners = new Set<() => void>();
  let nowMs = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;

  function tick(): void {
    if (document.hidden) return;
    nowMs = Date.now();
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        nowMs = Date.now();
        timer = setInterval(tick, TICK_MS);
        document.addEventListener('visibilitychange', tick);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        document.removeEventListener('visibilitychange', tick);
      };
    },
    read: () => nowMs,
  };
}
