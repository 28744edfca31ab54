import { z } from 'zod';
import { isDangerouslyDeep } from './json-depth';
import { surveyJson } from './json-survey';
import { mayEscapeHalfPair } from './may-escape-half-pair';
import { err, ok, type Result } from './result';

/** Any JSON value: what a free payload is behind the socket. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** For values that are known to come from `JSON.parse`: their shape holds by construction, so nothing is walked again. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.custom<JsonValue>((value) => value !== undefined);
export const jsonObjectSchema: z.ZodType<JsonObject> = z.custom<JsonObject>(isJsonObject, 'expected an object');

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type JsonProblem = {
  readonly code: 'empty' | 'syntax' | 'too-deep' | 'not-well-formed' | 'forbidden-key';
  readonly message: string;
};

export type JsonRules = {
  /** Containers inside containers; 1 is a flat object. */
  readonly depthMax: number;
  /** What to do with an own key `__proto__`, which an unwary merge would turn into a prototype. */
  readonly protoKey: 'refuse' | 'keep';
};

/**
 * Text to JSON with the guards that every socket of ours needs: no nesting beyond the limit, whatever it would cost to
 * parse, and no half of a surrogate pair. What a duplicate key drops is not looked at.
 *
 * With `protoKey: 'keep'` the key stays an own property of a null-prototype object.
 */
export function parseJson(text: string, rules: JsonRules): Result<JsonValue, JsonProblem> {
  if (!text.isWellFormed()) return err(HALF_PAIR);
  const read = parseDecodedJson(text, rules);
  return read.ok ? ok(read.value.value) : read;
}

export type DecodedJson = {
  readonly value: JsonValue;
  /** Whether a number lies beyond the doubles: JavaScript reads such a one as `Infinity`, which no JSON can carry. */
  readonly hasOverflow: boolean;
};

/**
 * As {@link parseJson}, for text that was decoded from UTF-8, as that of every socket is: there, half of a surrogate pair
 * can only be an escape, so large text need not be searched for it. All guards together cost a fraction of `JSON.parse`.
 */
export function parseDecodedJson(text: string, rules: JsonRules): Result<DecodedJson, JsonProblem> {
  if (isDangerouslyDeep(text, rules.depthMax)) return err(tooDeep(rules));
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  const survey = surveyJson(parsed.value, {
    depthMax: rules.depthMax,
    text: mayEscapeHalfPair(text) ? 'suspect' : 'known',
  });
  if (!survey) return err(tooDeep(rules));
  if (survey.hasHalfPair) return err(HALF_PAIR);
  if (survey.hasProtoKey && rules.protoKey === 'refuse') return err(PROTO_KEY);
  const value = survey.hasProtoKey ? withoutPrototypes(parsed.value) : parsed.value;
  return ok({ value, hasOverflow: survey.hasOverflow });
}

/**
 * For a look at named members of a text that was refused: without the guards, so at any depth that does no harm. Never walk
 * what it gives.
 */
export function peekJson(text: string): JsonValue | undefined {
  if (isDangerouslyDeep(text, PEEKED_DEPTH_MAX)) return undefined;
  const parsed = parseText(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Only for texts with more than a million openings; a smaller one is parsed whatever its depth. */
const PEEKED_DEPTH_MAX = 1_000;

const HALF_PAIR: JsonProblem = {
  code: 'not-well-formed',
  message: 'Expected well-formed Unicode, got half of a surrogate pair',
};
const PROTO_KEY: JsonProblem = { code: 'forbidden-key', message: 'The key "__proto__" is not allowed' };

function tooDeep({ depthMax }: JsonRules): JsonProblem {
  return { code: 'too-deep', message: `Expected at most ${depthMax} levels of nesting; flatten the value` };
}

function parseText(text: string): Result<JsonValue, JsonProblem> {
  try {
    return ok(JSON.parse(text));
  } catch (cause) {
    if (text.trim() === '') return err({ code: 'empty', message: 'Expected JSON, got nothing' });
    const detail = cause instanceof Error ? cause.message : String(cause);
    return err({ code: 'syntax', message: `Expected JSON: ${detail.slice(0, 200)}` });
  }
}

function withoutPrototypes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const bare: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, member] of Object.entries(value)) bare[key] = withoutPrototypes(member);
  return bare;
}
