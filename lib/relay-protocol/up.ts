import { z } from 'zod';
import { commandIdSchema } from '@/lib/std/ids';
import { commandSchema } from './commands';
import { cursorSchema, streamNameSchema } from './streams';

/** Streams wanted, each with the last position that was applied, or null for none. */
const wantedSchema = z.array(z.strictObject({ stream: streamNameSchema, from: cursorSchema.nullable() })).max(64);

/** First frame of a socket, within 5 s. The ticket is good once. */
const helloFrameSchema = z.strictObject({
  type: z.literal('hello'),
  protocolVersion: z.int(),
  ticket: z.string().min(1).max(512),
  streams: wantedSchema,
});

const subscribeFrameSchema = z.strictObject({
  type: z.literal('subscribe'),
  stream: streamNameSchema,
  from: cursorSchema.nullable(),
});

const unsubscribeFrameSchema = z.strictObject({ type: z.literal('unsubscribe'), stream: streamNameSchema });

const commandFrameSchema = z.strictObject({
  type: z.literal('command'),
  commandId: commandIdSchema,
  command: commandSchema,
  /** Unix milliseconds on the relay's clock; later the command is refused as expired. */
  deadlineMs: z.number().optional(),
});

const ackFrameSchema = z.strictObject({
  type: z.literal('ack'),
  positions: z.array(z.strictObject({ stream: streamNameSchema, number: z.int().min(0) })).max(64),
});

const pongFrameSchema = z.strictObject({ type: z.literal('pong'), sentAtMs: z.number() });

const upByeFrameSchema = z.strictObject({ type: z.literal('bye') });

/** Browser to relay. At most 64 KiB each. */
export const upFrameSchema = z.discriminatedUnion('type', [
  helloFrameSchema,
  subscribeFrameSchema,
  unsubscribeFrameSchema,
  commandFrameSchema,
  ackFrameSchema,
  pongFrameSchema,
  upByeFrameSchema,
]);
export type UpFrame = z.infer<typeof upFrameSchema>;
