import type { Clock } from '@/lib/std/clock';
import { HELD_UP_MS } from './patient-timer';

export type SilenceWatchOptions = {
  readonly clock: Clock;
  /** Silence of this length is the verdict, in milliseconds. */
  readonly deadAfterMs: number;
  /** How long a process that was held up reads before it judges, in milliseconds. */
  readonly readingMs: number;
  /** While this holds, silence is our own doing: we are not reading, or there is no connection. */
  readonly isExcused: () => boolean;
  /** Told once; the watch has ended by then. */
  readonly onDead: (silenceMs: number) => void;
};

export type SilenceWatch = {
  /** Anything that comes from the peer is a sign of life. */
  heard(): void;
  /** May be called twice. */
  stop(): void;
};

/** Watches for the silence of a peer that was heard just now. */
export function watchSilence(options: SilenceWatchOptions): SilenceWatch {
  const { clock, deadAfterMs, readingMs, isExcused, onDead } = options;
  let heardMs = clock.now();
  let hasGrace = true;
  let dueMs = 0;
  let stopLook = lookIn(deadAfterMs);

  function lookIn(delayMs: number) {
    dueMs = clock.now() + delayMs;
    return clock.after(delayMs, look);
  }

  function look() {
    if (isExcused()) heardMs = clock.now();
    const silenceMs = clock.now() - heardMs;
    if (silenceMs < deadAfterMs) {
      // A clock that was set back must not postpone the next look for ever.
      stopLook = lookIn(Math.min(deadAfterMs, deadAfterMs - silenceMs));
      return;
    }
    if (hasGrace && clock.now() - dueMs > HELD_UP_MS) {
      // What the peer has said meanwhile is not read yet. Once, so that a machine that is always late finds out, too.
      hasGrace = false;
      stopLook = lookIn(readingMs);
      return;
    }
    onDead(silenceMs);
  }

  return {
    heard() {
      heardMs = clock.now();
      hasGrace = true;
    },
    stop: () => stopLook(),
  };
}
