import type { Clock } from '@/lib/std/clock';
import { HELD_UP_MS } from './patient-timer';

export type HeartbeatOptions = {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly deadAfterMs: number;
  readonly beat: () => void;
  /** Told once; the heartbeat has stopped by then. */
  readonly onDead: (silenceMs: number) => void;
  /** While this holds, silence is our own doing: we are not reading. */
  readonly isExcused?: () => boolean;
};

export type Heartbeat = {
  /** Anything that comes from the peer is a sign of life. */
  heard(): void;
  stop(): void;
};

/** Beats at a steady pace, the first time after one interval, and watches for the peer's silence. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { clock, everyMs, deadAfterMs, beat, onDead, isExcused = () => false } = options;
  let heardMs = clock.now();
  const stopBeat = clock.every(everyMs, beat);
  let hasGrace = true;
  let dueMs = 0;
  let stopWatch = lookIn(deadAfterMs);

  function lookIn(delayMs: number) {
    dueMs = clock.now() + delayMs;
    return clock.after(delayMs, look);
  }

  function look() {
    if (isExcused()) heardMs = clock.now();
    const silenceMs = clock.now() - heardMs;
    if (silenceMs < deadAfterMs) {
      // A clock that was set back must not postpone the next look for ever.
      stopWatch = lookIn(Math.min(deadAfterMs, deadAfterMs - silenceMs));
      return;
    }
    if (hasGrace && clock.now() - dueMs > HELD_UP_MS) {
      // What the peer has said meanwhile is not read yet. Once, so that a machine that is always late finds out, too.
      hasGrace = false;
      stopWatch = lookIn(everyMs);
      return;
    }
    stopBeat();
    onDead(silenceMs);
  }

  return {
    heard() {
      heardMs = clock.now();
      hasGrace = true;
    },
    stop() {
      stopBeat();
      stopWatch();
    },
  };
}
