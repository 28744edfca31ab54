import type { Clock } from '@/lib/std/clock';
import { watchSilence } from './silence-watch';

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
  const stopBeat = clock.every(everyMs, beat);
  const watch = watchSilence({
    clock,
    deadAfterMs,
    readingMs: everyMs,
    isExcused,
    onDead: (silenceMs) => {
      stopBeat();
      onDead(silenceMs);
    },
  });
  return {
    heard: watch.heard,
    stop() {
      stopBeat();
      watch.stop();
    },
  };
}
