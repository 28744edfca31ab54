import type { ScheduleFlush } from '@/lib/store/board-store';

/** At most ten paints a second; the first change after a quiet time is painted with the next frame. */
const PAINT_EVERY_MS = 100;

/** Browsers give a hidden page no frames; its title still follows the state, and one paint catches up on return. */
const HIDDEN_EVERY_MS = 1_000;

export function createPaintSchedule(): ScheduleFlush {
  let paintedAtMs = 0;
  return (flush) => {
    let isDone = false;
    const paint = () => {
      if (isDone) return;
      isDone = true;
      document.removeEventListener('visibilitychange', paint);
      paintedAtMs = performance.now();
      flush();
    };
    document.addEventListener('visibilitychange', paint);
    if (document.hidden) {
      setTimeout(paint, HIDDEN_EVERY_MS);
      return;
    }
    const waitMs = PAINT_EVERY_MS - (performance.now() - paintedAtMs);
    if (waitMs <= 0) requestAnimationFrame(paint);
    else setTimeout(() => requestAnimationFrame(paint), waitMs);
  };
}
