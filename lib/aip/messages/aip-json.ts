import {
  type DecodedJson,
  isJsonObject,
  type JsonObject,
  type JsonProblem,
  type JsonRules,
  type JsonValue,
  parseDecodedJson,
  peekJson,
} from '@/lib/std/json';
import type { Result } from '@/lib/std/result';

/** What the stock reader takes; what we write stays at {@link WRITTEN_DEPTH_MAX}. */
const READ_RULES: JsonRules = { depthMax: 201, protoKey: 'keep' };
export const WRITTEN_DEPTH_MAX = 200;

/**
 * Text of a peer to JSON: as {@link parseDecodedJson}, but Python's `NaN` and `Infinity` tokens are read, too, by a second
 * pass that runs only when the first one fails.
 *
 * Numbers that no JSON can carry come out as `Infinity`, so that a schema that wants text or an integer still refuses
 * them; {@link withoutOverflow} turns those in free payloads into `null`. Integers beyond 2^53 become the
 * nearest double.
 */
export function parseAipJson(text: string): Result<DecodedJson, JsonProblem> {
  const strict = parseDecodedJson(text, READ_RULES);
  if (strict.ok || strict.error.code !== 'syntax' || !MAY_HOLD_TOKEN.test(text)) return strict;
  const tolerant = parseDecodedJson(withNumbersForTokens(text), READ_RULES);
  return tolerant.ok ? tolerant : strict;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;
const MAY_HOLD_TOKEN = /NaN|Infinity/;

/** For a look at named members of what is refused as a message: at any depth, and with halves of characters as U+FFFD. */
export function peekRefusedJson(text: string): JsonValue | undefined {
  const whole = text.replace(SURROGATE_ESCAPE, '\\ufffd');
  return peekJson(MAY_HOLD_TOKEN.test(whole) ? withNumbersForTokens(whole) : whole);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** By their first letters. */
const TOKENS = new Map([
  [0x4e, 'NaN'],
  [0x49, 'Infinity'],
]);
/** A list of a peer's tokens must not become as many pieces in memory. */
const PIECES_MAX = 4_096;

/** Rewrites the two tokens outside of strings into a number that overflows; by hand, since a pattern would need a stack. */
function withNumbersForTokens(text: string): string {
  let written = '';
  let pieces: string[] = [];
  let from = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
      continue;
    }
    if (code === QUOTE) isInString = true;
    const token = TOKENS.get(code);
    if (token === undefined) continue;
    if (!text.startsWith(token, index)) return text;
    pieces.push(text.slice(from, index), '1e999');
    index += token.length - 1;
    from = index + 1;
    if (pieces.length < PIECES_MAX) continue;
    written += pieces.join('');
    pieces = [];
  }
  return written + pieces.join('') + text.slice(from);
}

/** The same value with `null` for numbers that are not finite. */
export function withoutOverflow(value: JsonObject): JsonObject {
  const copy: { [key: string]: JsonValue } = Object.create(Object.getPrototypeOf(value));
  for (const [key, member] of Object.entries(value)) copy[key] = finite(member);
  return copy;
}

function finite(value: JsonValue): JsonValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(finite);
  return isJsonObject(value) ? withoutOverflow(value) : value;
}
