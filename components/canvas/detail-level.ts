/** How much a card shows at a zoom. */
export type DetailLevel = 'full' | 'name' | 'tile';

export function detailLevelOf(zoom: number): DetailLevel {
  if (zoom > 0.6) return 'full';
  return zoom >= 0.3 ? 'name' : 'tile';
}

/** Strokes keep their weight on the screen when the plan is zoomed out, up to this factor. */
const STROKE_FACTOR_MAX = 4;

export function strokeFactorOf(zoom: number): number {
  return Math.min(STROKE_FACTOR_MAX, Math.max(1, 1 / zoom));
}
