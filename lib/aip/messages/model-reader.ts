import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

/** What reading comes to when a value is not what it must be. */
export const MISFIT = Symbol('misfit');
type Read<Value> = Value | typeof MISFIT;

/** @returns undefined for a member that is absent, or `null` where that means the same */
export type MemberReader<Value> = (value: JsonValue | undefined) => Read<Value>;
export type ModelReader<Model> = (value: JsonObject) => Read<Model>;

/**
 * Reads a model of the wire as its schema does, many times faster, but without a word on what is wrong: whoever needs that
 * asks the schema, whose verdict counts.
 *
 * The cast holds because there is a reader for each member, and each gives what the type says.
 *
 * @param readers - in the order in which the model holds its members
 */
export function createModelReader<Model extends object>(
  readers: {
    readonly [Key in keyof Model]-?: MemberReader<Model[Key]>;
  },
): ModelReader<Model> {
  const members: readonly (readonly [string, MemberReader<unknown>])[] = Object.entries(readers);
  return (value) => {
    const model: Record<string, unknown> = {};
    for (const [name, read] of members) {
      const member = read(value[name]);
      if (member === MISFIT) return MISFIT;
      if (member !== undefined) model[name] = member;
    }
    return model as Model;
  };
}

export function wordOf<Word extends string>(words: readonly Word[]): MemberReader<Word> {
  const known = new Map<JsonValue | undefined, Word>(words.map((word) => [word, word]));
  return (value) => known.get(value) ?? MISFIT;
}

export function absentOr<Value>(absent: Value, read: MemberReader<Value>): MemberReader<Value> {
  return (value) => (value === undefined ? absent : read(value));
}

export const readText: MemberReader<string> = (value) => (typeof value === 'string' ? value : MISFIT);

export const readOptionalText: MemberReader<string | undefined> = (value) => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : MISFIT;
};

export const readOptionalObject: MemberReader<JsonObject | undefined> = (value) => {
  if (value === undefined || value === null) return undefined;
  return isJsonObject(value) ? value : MISFIT;
};

export const readOptionalValue: MemberReader<JsonValue | undefined> = (value) => value ?? undefined;

export const readOptionalTexts: MemberReader<string[] | undefined> = (value) => {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : MISFIT;
};

export function optionalListOf<Model>(read: ModelReader<Model>): MemberReader<Model[] | undefined> {
  return (value) => {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) return MISFIT;
    const models: Model[] = [];
    for (const item of value) {
      const model = isJsonObject(item) ? read(item) : MISFIT;
      if (model === MISFIT) return MISFIT;
      models.push(model);
    }
    return models;
  };
}
