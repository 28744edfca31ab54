import type { JsonValue } from '@/lib/std/json';

type NullableKeys<Model> = { [Key in keyof Model]-?: null extends Model[Key] ? Key : never }[keyof Model];

/**
 * A model as the inside sees it: what the wire may leave out or set to `null` is an optional member. In a
 * free payload `null` may be written, and is read as absent.
 */
export type WithoutNulls<Model> = { [Key in Exclude<keyof Model, NullableKeys<Model>>]: Model[Key] } & {
  [Key in NullableKeys<Model>]?: JsonValue extends Model[Key] ? JsonValue : Exclude<Model[Key], null | undefined>;
};

/**
 * Drops members that are `null` or `undefined`, at the top level only: what stands inside a free payload is not ours.
 *
 * The cast holds because exactly the members that the result type calls optional can be `null` or `undefined`.
 */
export function withoutNulls<Model extends object>(model: Model): WithoutNulls<Model> {
  const present: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(model)) {
    if (value !== null && value !== undefined) present[key] = value;
  }
  return present as WithoutNulls<Model>;
}
