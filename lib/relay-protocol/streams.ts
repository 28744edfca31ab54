import { z } from 'zod';
import { type RunId, runIdSchema } from '@/lib/std/ids';

/** An ordered list of events with its own numbers: the fleet, the list of runs, or one run. */
export const streamNameSchema = z
  .string()
  .regex(/^(fleet|runs|run:[0-9a-f]{32})$/, 'Stream must be "fleet", "runs" or "run:<run id>"')
  .brand<'StreamName'>();
export type StreamName = z.infer<typeof streamNameSchema>;

export const FLEET_STREAM = streamNameSchema.parse('fleet');
export const RUNS_STREAM = streamNameSchema.parse('runs');

export function runStream(runId: RunId): StreamName {
  return streamNameSchema.parse(`run:${runId}`);
}

/** The run that a stream is about, if it is about one. */
export function runIdOf(stream: StreamName): RunId | undefined {
  return stream.startsWith('run:') ? runIdSchema.parse(stream.slice('run:'.length)) : undefined;
}

/** Where a reader stands. `number` is dense from 1 within an epoch; 0 is before the first event. */
export const cursorSchema = z.strictObject({ epoch: z.string().min(1).max(64), number: z.int().min(0) });
export type Cursor = z.infer<typeof cursorSchema>;

export const positionSchema = z.strictObject({ stream: streamNameSchema, ...cursorSchema.shape });
export type Position = z.infer<typeof positionSchema>;
