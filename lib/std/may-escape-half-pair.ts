const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Whether half of a surrogate pair may stand in a JSON text as an escape, so that its strings must be looked at one by one.
 *
 * Where the engine holds a text as Latin-1, which the first pattern finds out at once, that look costs nothing and a search
 * for such escapes would; beyond Latin-1 it is the other way round.
 */
export function mayEscapeHalfPair(text: string): boolean {
  return BEYOND_LATIN_1.test(text) ? SURROGATE_ESCAPE.test(text) : text.includes('\\');
}
