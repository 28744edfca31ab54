import { z } from 'zod';
import { fleetEventSchema } from '@/lib/fleet/events';
import { REFUSAL_CODES } from '@/lib/run/commands';
import { runEventSchema } from '@/lib/run/events';
import { runsEventSchema } from '@/lib/run/run-summary';
import { commandIdSchema } from '@/lib/std/ids';
import { jsonValueSchema } from '@/lib/std/json';
import { roleSchema } from './commands';
import { cursorSchema, positionSchema, streamNameSchema } from './streams';

export const streamModeSchema = z.enum(['live', 'replay', 'snapshot', 'unknown']);
export const resetReasonSchema = z.enum(['too-old', 'epoch', 'ahead', 'overload']);

const welcomeFrameSchema = z.strictObject({
  type: z.literal('welcome'),
  protocolVersion: z.int(),
  connectionId: z.string(),
  actor: z.string(),
  role: roleSchema,
  /** The relay's clock, so that ages on the screen do not depend on the browser's. */
  nowMs: z.number(),
  heartbeat: z.strictObject({ pingEveryMs: z.number(), giveUpAfterMs: z.number() }),
  limits: z.strictObject({ frameBytesMax: z.number(), commandsUnansweredMax: z.number() }),
  streams: z.array(z.strictObject({ stream: streamNameSchema, ...cursorSchema.shape, mode: streamModeSchema })),
});

/** State at a position, as JSON text in parts of at most 64 KiB; swapped in after the last part. */
const snapshotFrameSchema = z.strictObject({
  type: z.literal('snapshot'),
  stream: streamNameSchema,
  ...cursorSchema.shape,
  part: z.int().min(1),
  parts: z.int().min(1),
  text: z.string(),
});

const eventSchema = z.union([fleetEventSchema, runsEventSchema, runEventSchema]);
export type StreamEvent = z.infer<typeof eventSchema>;

/** Events `number`, `number + 1`, … of one stream. Applied only if the epoch is ours and `number` is the next one. */
const eventsFrameSchema = z.strictObject({
  type: z.literal('events'),
  stream: streamNameSchema,
  ...cursorSchema.shape,
  events: z.array(eventSchema).min(1),
});

/** A value of which only the newest counts (a heartbeat's time, say); never a hole, never moves a cursor. */
const registerFrameSchema = z.strictObject({
  type: z.literal('register'),
  stream: streamNameSchema,
  key: z.string().max(256),
  version: z.int(),
  value: jsonValueSchema,
});

/** Bookmark of an idle stream: a reader that stands elsewhere has lost something. */
const positionFrameSchema = z.strictObject({ type: z.literal('position'), ...positionSchema.shape });

/** What the browser has of this stream is void; a snapshot follows. */
const resetFrameSchema = z.strictObject({
  type: z.literal('reset'),
  ...positionSchema.shape,
  reason: resetReasonSchema,
});

export const refusalSchema = z.strictObject({ code: z.enum(REFUSAL_CODES), message: z.string() });

/** Exactly one per command and connection. `positions` are those that the command wrote. */
const resultFrameSchema = z.strictObject({
  type: z.literal('result'),
  commandId: commandIdSchema,
  outcome: z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('accepted'), positions: z.array(positionSchema) }),
    z.strictObject({ status: z.literal('duplicate'), positions: z.array(positionSchema) }),
    z.strictObject({ status: z.literal('rejected'), refusal: refusalSchema }),
  ]),
});

const pingFrameSchema = z.strictObject({ type: z.literal('ping'), sentAtMs: z.number() });

const errorFrameSchema = z.strictObject({
  type: z.literal('error'),
  code: z.string(),
  message: z.string(),
  /** The stream that was not served, if it is about one. */
  stream: streamNameSchema.optional(),
});

/** Sent before the relay closes by its own choice. */
const downByeFrameSchema = z.strictObject({
  type: z.literal('bye'),
  code: z.int(),
  reason: z.string(),
  afterMs: z.number(),
  spreadMs: z.number(),
});

/** Relay to browser. A socket message holds one frame, or an array of frames. */
export const downFrameSchema = z.discriminatedUnion('type', [
  welcomeFrameSchema,
  snapshotFrameSchema,
  eventsFrameSchema,
  registerFrameSchema,
  positionFrameSchema,
  resetFrameSchema,
  resultFrameSchema,
  pingFrameSchema,
  errorFrameSchema,
  downByeFrameSchema,
]);
export type DownFrame = z.infer<typeof downFrameSchema>;
export const downMessageSchema = z.union([downFrameSchema, z.array(downFrameSchema)]);
