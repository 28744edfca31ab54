const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** `JSON.parse` uses no stack, but time and memory for every level: a fifth of a second for this many, a hundred times that for a large message. */
const HARMLESS_OPENINGS = 1_048_576;

/**
 * Whether a text nests deeper than allowed, and so deep that parsing it would do harm. What is let through may be too deep
 * all the same, but not for {@link surveyJson}.
 */
export function isDangerouslyDeep(text: string, depthMax: number): boolean {
  return hasManyOpenings(text) && isDeeperThan(text, depthMax);
}

/** Searched natively, and only where the text has room for so many. */
function hasManyOpenings(text: string): boolean {
  if (text.length <= HARMLESS_OPENINGS) return false;
  let openings = 0;
  for (const opening of ['[', '{']) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      openings += 1;
      if (openings > HARMLESS_OPENINGS) return true;
    }
  }
  return false;
}

/** Counts brackets outside of strings; linear, no recursion, over at the first level too many. */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}
