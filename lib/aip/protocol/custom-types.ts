import { z } from 'zod';
import { clientMessageTypeSchema, type Parsed, parseModel, serverMessageTypeSchema } from '@/lib/aip/messages';
import { ok } from '@/lib/std/result';

export type CustomHandler<Value> = (value: Value) => void | Promise<void>;

/** A frame of a custom type that was read and has not been handled yet. */
export type CustomFrame = { readonly type: string; readonly handle: () => Promise<void> };

export type CustomTypes = {
  /** @throws when the type is one of AIP's own, or taken */
  add<Value extends object>(type: string, schema: z.ZodType<Value>, handler: CustomHandler<Value>): () => void;
  /** Reads a text that is no AIP message; undefined when its `type` is not one of ours. */
  read(text: string): Parsed<CustomFrame> | undefined;
};

type CustomType = { read(text: string): Parsed<CustomFrame> };

const envelope = z.looseObject({ type: z.string() });
const ownTypes: ReadonlySet<string> = new Set([...clientMessageTypeSchema.options, ...serverMessageTypeSchema.options]);

/** Message types of a user, beside those of AIP; only a peer that expects them understands them. */
export function createCustomTypes(): CustomTypes {
  const types = new Map<string, CustomType>();

  return {
    add(type, schema, handler) {
      if (ownTypes.has(type)) throw new Error(`"${type}" is a message type of AIP; give a custom one another name`);
      if (types.has(type)) throw new Error(`The custom message type "${type}" has its handler already`);
      const entry: CustomType = {
        read(text) {
          const parsed = parseModel(schema, text);
          return parsed.ok ? ok({ type, handle: async () => handler(parsed.value) }) : parsed;
        },
      };
      types.set(type, entry);
      return () => {
        if (types.get(type) === entry) types.delete(type);
      };
    },
    read(text) {
      if (types.size === 0) return undefined;
      const parsed = parseModel(envelope, text);
      return parsed.ok ? types.get(parsed.value.type)?.read(text) : undefined;
    },
  };
}
