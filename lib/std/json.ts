import { z } from 'zod';
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
 * Text to JSON with the guards that every socket of ours needs: depth is counted before parsing, so that hostile nesting
 * costs no stack, and half surrogate pairs are refused.
 *
 * With `protoKey: 'keep'` the key stays an own property of a null-prototype object.
 */
export function parseJson(text: string, rules: JsonRules): Result<JsonValue, JsonProblem> {
  if (text.trim() === '') return err({ code: 'empty', message: 'Expected JSON, got nothing' });
  if (depthOf(text) > rules.depthMax) {
    return err({
      code: 'too-deep',
      message: `Expected at most ${rules.depthMax} levels of nesting; flatten the value`,
    });
  }
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  if (!text.isWellFormed() || (text.includes('\\u') && !isWellFormedDeep(parsed.value))) {
    return err({ code: 'not-well-formed', message: 'Expected well-formed Unicode, got half of a surrogate pair' });
  }
  if (!mayHoldProtoKey(text)) return parsed;
  if (rules.protoKey === 'keep') return ok(withoutPrototypes(parsed.value));
  if (hasProtoKey(parsed.value)) return err({ code: 'forbidden-key', message: 'The key "__proto__" is not allowed' });
  return parsed;
}

function parseText(text: string): Result<JsonValue, JsonProblem> {
  try {
    return ok(JSON.parse(text));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return err({ code: 'syntax', message: `Expected JSON: ${detail.slice(0, 200)}` });
  }
}

/** Deepest nesting of brackets outside of strings; linear, no recursion. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}

/** An escaped spelling (`\u005f`) reaches the same key, so any escape makes the text a suspect. */
function mayHoldProtoKey(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u');
}

function hasProtoKey(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasProtoKey);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => key === '__proto__' || hasProtoKey(member));
}

function withoutPrototypes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const bare: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, member] of Object.entries(value)) bare[key] = withoutPrototypes(member);
  return bare;
}

function isWellFormedDeep(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormedDeep);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormedDeep(member));
}
