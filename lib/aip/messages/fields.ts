import { z } from 'zod';
import { jsonObjectSchema, jsonValueSchema } from '@/lib/std/json';

/** Nullable members of the wire models: `null` and absent mean the same. */
export const optionalText = z.string().nullish();
export const optionalObject = jsonObjectSchema.nullish();
export const optionalValue = jsonValueSchema.nullish();
export const optionalTexts = z.array(z.string()).nullish();

const INTEGER_TEXT = /^\s*[+-]?\d+(?:_\d+)*(?:\.0*)?\s*$/;

/**
 * Integers as the stock models read them: integral numbers, booleans and numeric text.
 *
 * Beyond 2^53 the nearest double stands for the integer: JavaScript's parser has already rounded it.
 */
export const integer = z
  .union([z.number(), z.string(), z.boolean()], 'expected an integer')
  .transform((value, context) => {
    const read = toInteger(value);
    if (read !== undefined) return read;
    context.addIssue({ code: 'custom', message: 'expected an integer' });
    return z.NEVER;
  });
export const optionalInteger = integer.nullish();

function toInteger(value: number | string | boolean): number | undefined {
  if (typeof value === 'string' && !INTEGER_TEXT.test(value)) return undefined;
  const read = Number(typeof value === 'string' ? value.replaceAll('_', '') : value);
  if (!Number.isInteger(read)) return undefined;
  return read === 0 ? 0 : read; // -0 is no integer of its own
}

const TRUE_WORDS = new Set(['true', 'yes', 'y', 'on', 't', '1']);
const FALSE_WORDS = new Set(['false', 'no', 'n', 'off', 'f', '0']);

/** Booleans as the stock models read them: also 1 and 0 and the usual words in any case. */
export const flag = z.union([z.boolean(), z.number(), z.string()], 'expected a boolean').transform((value, context) => {
  const word = String(value).toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  if (FALSE_WORDS.has(word)) return false;
  context.addIssue({ code: 'custom', message: 'expected a boolean' });
  return z.NEVER;
});
export const optionalFlag = flag.nullish();
