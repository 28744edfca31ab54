/** Width of a text in pixels, in the weight that names are drawn in. */
export type MeasureText = (text: string, fontSizePx: number) => number;

export type FittedName = {
  readonly lines: readonly string[];
  readonly fontSizePx: number;
  readonly lineHeightPx: number;
  /** Whether the middle was left out. */
  readonly isCut: boolean;
};

/** Both fill the same 40 px, so a long name moves nothing. Nothing is set under 12 px. */
const REGULAR = { fontSizePx: 14, lineHeightPx: 20, linesMax: 2 };
const SMALL = { fontSizePx: 12, lineHeightPx: 13, linesMax: 3 };

type Style = typeof REGULAR;

/**
 * Sets a name in two lines, a longer one in three smaller ones, and only then leaves out the middle: the ends of names
 * tell tasks apart.
 */
export function fitName(name: string, widthPx: number, measure: MeasureText): FittedName {
  for (const style of [REGULAR, SMALL]) {
    const lines = wrap(name, (text) => measure(text, style.fontSizePx) <= widthPx);
    if (lines.length <= style.linesMax) return fitted(lines, style, false);
  }
  return cutMiddle(name, widthPx, measure);
}

function fitted(lines: readonly string[], style: Style, isCut: boolean): FittedName {
  return { lines, fontSizePx: style.fontSizePx, lineHeightPx: style.lineHeightPx, isCut };
}

/** The longest cut that still fits, found by halving. */
function cutMiddle(name: string, widthPx: number, measure: MeasureText): FittedName {
  const letters = [...name];
  const fits = (text: string) => measure(text, SMALL.fontSizePx) <= widthPx;
  let keepMin = 0;
  let keepMax = letters.length - 1;
  while (keepMin < keepMax) {
    const keep = Math.ceil((keepMin + keepMax) / 2);
    if (wrap(withoutMiddle(letters, keep), fits).length <= SMALL.linesMax) keepMin = keep;
    else keepMax = keep - 1;
  }
  return fitted(wrap(withoutMiddle(letters, keepMin), fits).slice(0, SMALL.linesMax), SMALL, true);
}

function withoutMiddle(letters: readonly string[], keep: number): string {
  const head = Math.ceil(keep / 2);
  const tail = keep - head;
  return `${letters.slice(0, head).join('').trimEnd()}…${letters
    .slice(letters.length - tail)
    .join('')
    .trimStart()}`;
}

/** Greedy lines over the places where a name may break; a piece that is wider than a line is split by letters. */
function wrap(name: string, fits: (text: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces(name)) {
    if (fits((line + piece).trimEnd())) {
      line += piece;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trim());
    const rest = splitLetters(piece, fits);
    lines.push(...rest.slice(0, -1));
    line = rest.at(-1) ?? '';
  }
  if (line.trim() !== '') lines.push(line.trim());
  return lines;
}

/** After a space, `_`, `-`, `.` or `/`, and before the hump of a camel: `collectLogs` is `collect`, `Logs`. */
function pieces(name: string): string[] {
  return name.split(/(?<=[\s_\-./])|(?<=[\p{Ll}\d])(?=\p{Lu})/u).filter((piece) => piece !== '');
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
