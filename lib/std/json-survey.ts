import type { JsonObject, JsonValue } from './json';

/** What a reader must know of a value before it lets it in. */
export type JsonSurvey = {
  /** An own key `__proto__`, which an unwary merge would turn into a prototype. */
  readonly hasProtoKey: boolean;
  /** A number beyond the doubles, which JavaScript reads as `Infinity` and no JSON can carry. */
  readonly hasOverflow: boolean;
  /** Half of a surrogate pair, in a key or in text. */
  readonly hasHalfPair: boolean;
};

export type SurveyLimits = {
  /** Containers inside containers; 1 is a flat object. */
  readonly depthMax: number;
  /** Whether text is looked at for half pairs; `known` where there can be none. */
  readonly text: 'suspect' | 'known';
};

type JsonContainer = readonly JsonValue[] | JsonObject;
type Walk = { -readonly [Key in keyof JsonSurvey]: JsonSurvey[Key] } & { readonly isTextSuspect: boolean };

/**
 * Looks once at everything in a value.
 *
 * @returns undefined when it nests deeper than the limit, so that whoever gets a survey may walk the value by recursion
 */
export function surveyJson(value: JsonValue, { depthMax, text }: SurveyLimits): JsonSurvey | undefined {
  const walk = { hasProtoKey: false, hasOverflow: false, hasHalfPair: false, isTextSuspect: text === 'suspect' };
  return visit(value, depthMax, walk) ? walk : undefined;
}

function visit(value: JsonValue | undefined, levels: number, walk: Walk): boolean {
  if (typeof value === 'object') return value === null || visitMembers(value, levels, walk);
  if (typeof value === 'string') {
    if (walk.isTextSuspect && !value.isWellFormed()) walk.hasHalfPair = true;
  } else if (typeof value === 'number' && !Number.isFinite(value)) walk.hasOverflow = true;
  return true;
}

/** `for in` allocates nothing and, on what `JSON.parse` made, meets own keys only. */
function visitMembers(container: JsonContainer, levels: number, walk: Walk): boolean {
  if (levels === 0) return false;
  if (isList(container)) {
    for (let index = 0; index < container.length; index += 1) {
      if (!visit(container[index], levels - 1, walk)) return false;
    }
    return true;
  }
  for (const key in container) {
    if (key === '__proto__') walk.hasProtoKey = true;
    if (walk.isTextSuspect && !key.isWellFormed()) walk.hasHalfPair = true;
    if (!visit(container[key], levels - 1, walk)) return false;
  }
  return true;
}

/** `Array.isArray` for read-only lists, which its own type does not tell from objects. */
function isList(value: JsonContainer): value is readonly JsonValue[] {
  return Array.isArray(value);
}
