import type { MeasureText } from './fit-name';

/** Semibold letters of a system font are about this wide, as a share of their size; used where no canvas can measure. */
const LETTER_SHARE = 0.56;

/**
 * Measures names as the cards draw them, by a canvas that is never shown.
 *
 * @param fontFamily - of the cards, as CSS has it
 */
export function createMeasureText(fontFamily: string): MeasureText {
  const context = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');
  if (context === null) return (text, fontSizePx) => text.length * fontSizePx * LETTER_SHARE;
  return (text, fontSizePx) => {
    context.font = `600 ${fontSizePx}px ${fontFamily}`;
    return context.measureText(text).width;
  };
}
