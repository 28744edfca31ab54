import { z } from 'zod';

/** Keys that would reach an object's prototype; no id of ours may be one of them. */
const RESERVED = new Set(['__proto__', 'prototype', 'constructor', 'toString', 'valueOf', 'hasOwnProperty']);

function idSchema<Brand extends string>(brand: Brand, lengthMax: number) {
  return z
    .string()
    .min(1, `${brand} must not be empty`)
    .max(lengthMax, `${brand} must have at most ${lengthMax} characters`)
    .refine((id) => id.isWellFormed(), `${brand} must be well-formed Unicode`)
    .refine((id) => !RESERVED.has(id), `${brand} is a reserved word`)
    .refine((id) => !hasControlCharacter(id), `${brand} must not hold control characters`)
    .brand<Brand>();
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Ids are branded once, here, so that a task id cannot stand where a device id belongs. */
export const taskIdSchema = idSchema('TaskId', 256);
export type TaskId = z.infer<typeof taskIdSchema>;

export const lineIdSchema = idSchema('LineId', 256);
export type LineId = z.infer<typeof lineIdSchema>;

export const constellationIdSchema = idSchema('ConstellationId', 256);
export type ConstellationId = z.infer<typeof constellationIdSchema>;

/** Letters, digits, `.`, `_`, `-`; stands in URLs, in AIP client ids and on the screen. */
export const deviceIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'A device id must be 1 to 64 letters, digits, ".", "_" or "-", and begin with a letter or digit',
  )
  .refine((id) => !RESERVED.has(id), 'A device id must not be a reserved word')
  .brand<'DeviceId'>();
export type DeviceId = z.infer<typeof deviceIdSchema>;

/** 128 random bits as hexadecimal digits, minted by the relay. */
export const runIdSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'RunId must be 32 hexadecimal digits')
  .brand<'RunId'>();
export type RunId = z.infer<typeof runIdSchema>;

/** Minted once by whoever sends a command; the same id twice is the same command. */
export const commandIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9-]{8,64}$/, 'CommandId must be 8 to 64 letters, digits or "-"')
  .brand<'CommandId'>();
export type CommandId = z.infer<typeof commandIdSchema>;

/** The AIP session of one attempt: `<run>.<task>.<attempt>.<128-bit hex>`. */
export const sessionIdSchema = z.string().min(1).max(512).brand<'SessionId'>();
export type SessionId = z.infer<typeof sessionIdSchema>;
