/** Width of a text in pixels, in the weight that names are drawn in. */
export type MeasureText = (text: string, fontSizePx: number) => number;

export type FittedName = {
  readonly lines: readonly string[];
  readonly fontSizePx: number;
  readonly lineHeightPx: number;
  /** Whether the middle was left out. */
  readonly isCut: boolean;
};

export type NameStyle = { readonly fontSizePx: number; readonly lineHeightPx: number; readonly linesMax: number };

/** Where a name is set: the width that it has, and how it may be set, the preferred way first. */
export type NameBox = { readonly widthPx: number; readonly styles: readonly [NameStyle, ...NameStyle[]] };

/** Beside bar, paddings and icon. Both ways fill 40 px, so a long name moves nothing; nothing is set under 12 px. */
export const CARD_NAME: NameBox = {
  widthPx: 182,
  styles: [
    { fontSizePx: 14, lineHeightPx: 20, linesMax: 2 },
    { fontSizePx: 12, lineHeightPx: 13, linesMax: 3 },
  ],
};

/** The middle zoom, where a card is its icon and its name, drawn large enough to be read. */
export const ZOOMED_OUT_NAME: NameBox = {
  widthPx: 172,
  styles: [{ fontSizePx: 22, lineHeightPx: 28, linesMax: 2 }],
};

/** Leaves out the middle of a name that fits in no way: the ends of names tell tasks apart. */
export function fitName(name: string, box: NameBox, measure: MeasureText): FittedName {
  let last = box.styles[0];
  for (const style of box.styles) {
    const lines = wrap(name, (text) => measure(text, style.fontSizePx) <= box.widthPx);
    if (lines.length <= style.linesMax) return fitted(lines, style, false);
    last = style;
  }
  return cutMiddle(name, last, (text) => measure(text, last.fontSizePx) <= box.widthPx);
}

function fitted(lines: readonly string[], style: NameStyle, isCut: boolean): FittedName {
  return { lines, fontSizePx: style.fontSizePx, lineHeightPx: style.lineHeightPx, isCut };
}

/** The longest cut that still fits, found by halving. */
function cutMiddle(name: string, style: NameStyle, fits: (text: string) => boolean): FittedName {
  const letters = [...name];
  let keepMin = 0;
  let keepMax = letters.length - 1;
  while (keepMin < keepMax) {
    const keep = Math.ceil((keepMin + keepMax) / 2);
    if (wrap(withoutMiddle(letters, keep), fits).length <= style.linesMax) keepMin = keep;
    else keepMax = keep - 1;
  }
  return fitted(wrap(withoutMiddle(letters, keepMin), fits).slice(0, style.linesMax), style, true);
}

function withoutMiddle(letters: readonly string[], keep: number): string {
  const head = Math.ceil(keep / 2);
  const tail = keep - head;
  return `${letters.slice(0, head).join('').trimEnd()}…${letters
    .slice(letters.length - tail)
    .join('')
    .trimStart()}`;
}

/** Greedy lines of words. Only a word that is wider than a line is broken, at its own joints first, by letters at last. */
function wrap(name: string, fits: (text: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  const add = (piece: string) => {
    if (fits((line + piece).trimEnd())) {
      line += piece;
      return;
    }
    if (line.trim() !== '') lines.push(line.trim());
    const parts = splitLetters(piece, fits);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  };
  for (const word of name.split(/(?<=\s)/)) {
    if (fits(word.trimEnd())) add(word);
    else for (const part of joints(word)) add(part);
  }
  if (line.trim() !== '') lines.push(line.trim());
  return lines;
}

/** After `_`, `-`, `.` or `/`, and before the hump of a camel: `collectLogs` is `collect`, `Logs`. */
function joints(word: string): string[] {
  return word.split(/(?<=[_\-./])|(?<=[\p{Ll}\d])(?=\p{Lu})/u).filter((part) => part !== '');
}

function splitLetters(piece: string, fits: (text: string) => boolean): string[] {
  if (fits(piece.trimEnd())) return [piece];
  const parts: string[] = [];
  let part = '';
  for (const letter of piece) {
    if (part !== '' && !fits(part + letter)) {
      parts.push(part);
      part = '';
    }
    part += letter;
  }
  parts.push(part);
  return parts;
}
