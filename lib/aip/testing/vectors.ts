import type { JsonObject, JsonValue } from '@/lib/std/json';

export type VectorCase = {
  readonly name: string;
  readonly accept: boolean;
  readonly input: JsonValue;
  readonly model?: string;
  readonly output?: JsonValue;
  readonly input_encoding?: JsonValue;
  readonly output_text?: string;
  readonly errors?: readonly { readonly loc: readonly (string | number)[] }[];
} & JsonObject;

/** The cases of one vector file; the files are part of this repository, so their shape is known. */
export async function vectorCases(file: string): Promise<readonly VectorCase[]> {
  const vectors = await import(`./vectors/${file}.json?raw`); // as text: one case nests deeper than the bundler reads
  return JSON.parse(vectors.default).cases;
}

/** The text that a case feeds to a parser; `undefined` when its bytes are no UTF-8, which ends a socket before us. */
export function inputTextOf(vector: VectorCase): string | undefined {
  if (vector.input_encoding === 'hex') {
    try {
      const bytes = Buffer.from(String(vector.input), 'hex');
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined; // the case's point is that this is not text
    }
  }
  return typeof vector.input === 'string' ? vector.input : JSON.stringify(vector.input);
}

/** `null` and absent mean the same, at every level of a wire model. */
export function withoutNullsDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullsDeep);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNullsDeep(member)]));
}
