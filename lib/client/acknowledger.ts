import type { StreamName } from '@/lib/relay-protocol/streams';
import type { CancelTimer, Clock } from '@/lib/std/clock';

/** The relay reads on while fewer than 256 events are unacknowledged, so a quarter of that keeps it moving. */
const EVENTS_MAX = 64;
const DELAY_MS = 1_000;

/** Tells the relay how far this page has come: at most once a second, or every 64 events. */
export type Acknowledger = {
  applied(stream: StreamName, events: number): void;
  /** The connection is gone: there is nobody to tell. */
  reset(): void;
};

export function createAcknowledger(clock: Clock, tell: (streams: readonly StreamName[]) => void): Acknowledger {
  const streams = new Set<StreamName>();
  let untold = 0;
  let cancelTimer: CancelTimer | undefined;

  function reset(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    untold = 0;
    streams.clear();
  }

  function flush(): void {
    const told = [...streams];
    reset();
    tell(told);
  }

  return {
    applied(stream, events) {
      streams.add(stream);
      untold += events;
      if (untold >= EVENTS_MAX) flush();
      else cancelTimer ??= clock.after(DELAY_MS, flush);
    },
    reset,
  };
}
