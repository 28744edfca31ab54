import { isJsonObject, type JsonProblem, type JsonValue, parseJson } from '@/lib/std/json';
import { ok, type Result } from '@/lib/std/result';

/** What the stock reader takes; what we write stays at {@link WRITTEN_DEPTH_MAX}. */
const READ_DEPTH_MAX = 201;
export const WRITTEN_DEPTH_MAX = 200;

/** Cheap sign that a number may lie beyond the doubles: only then is the value walked. */
const MAY_OVERFLOW = /[eE]\+?\d{2}|\d{200}/;

/**
 * Text of a peer to JSON: as {@link parseJson}, but Python's `NaN` and `Infinity` tokens are read, too, by a second pass
 * that runs only when the first one fails.
 *
 * Numbers that no JSON can carry come out as `Infinity`, so that a schema that wants text or an integer still refuses
 * them; `finite` turns what is left of them in free payloads into `null`. Integers beyond 2^53 become the nearest double.
 */
export function parseAipJson(text: string): Result<{ value: JsonValue; finite: FiniteFilter }, JsonProblem> {
  const strict = parseJson(text, { depthMax: READ_DEPTH_MAX, protoKey: 'keep' });
  if (strict.ok) return ok({ value: strict.value, finite: MAY_OVERFLOW.test(text) ? finiteDeep : keep });
  if (strict.error.code !== 'syntax' || !/NaN|Infinity/.test(text)) return strict;
  const tolerant = parseJson(withNumbersForTokens(text), { depthMax: READ_DEPTH_MAX, protoKey: 'keep' });
  if (!tolerant.ok) return strict;
  return ok({ value: tolerant.value, finite: finiteDeep });
}

/** Rewrites the two tokens outside of strings into a number that overflows; by hand, since a pattern would need a stack. */
function withNumbersForTokens(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x4e || code === 0x49) {
      const token = code === 0x4e ? 'NaN' : 'Infinity';
      if (!text.startsWith(token, index)) return text;
      parts.push(text.slice(from, index), '1e999');
      index += token.length - 1;
      from = index + 1;
    }
  }
  return parts.join('') + text.slice(from);
}

type FiniteFilter = <Value extends object>(value: Value) => Value;

const keep: FiniteFilter = (value) => value;

/** Same shape, with `null` where a number is not finite; the casts hold because only free payloads can hold such numbers. */
const finiteDeep: FiniteFilter = <Value extends object>(value: Value): Value => {
  const json = value as unknown as JsonValue;
  return hasNonFinite(json) ? (finiteValue(json) as unknown as Value) : value;
};

function hasNonFinite(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (Array.isArray(value)) return value.some(hasNonFinite);
  return isJsonObject(value) && Object.values(value).some(hasNonFinite);
}

function finiteValue(value: JsonValue): JsonValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(finiteValue);
  if (!isJsonObject(value)) return value;
  const copy: { [key: string]: JsonValue } = Object.create(Object.getPrototypeOf(value));
  for (const [key, member] of Object.entries(value)) copy[key] = finiteValue(member);
  return copy;
}
