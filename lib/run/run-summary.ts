import { z } from 'zod';
import { constellationStateSchema } from '@/lib/constellation/constellation';
import { runIdSchema } from '@/lib/std/ids';

/** One row of the list of runs; travels on the stream `runs`. Times are Unix milliseconds. */
export const runSummarySchema = z.strictObject({
  runId: runIdSchema,
  constellationId: z.string(),
  name: z.string(),
  state: constellationStateSchema,
  createdAtMs: z.number(),
  createdBy: z.string(),
  launchedAtMs: z.number().nullable(),
  startedAtMs: z.number().nullable(),
  endedAtMs: z.number().nullable(),
  taskCount: z.int(),
  /** Tasks by stored status; `running` from the moment of sending on. */
  counts: z.strictObject({
    pending: z.int(),
    running: z.int(),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
  }),
  /** The first real cause, for a list that shows failures first. */
  firstFailure: z.strictObject({ taskId: z.string(), name: z.string(), error: z.string() }).nullable(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** The one event of the stream `runs`: the newest summary of a run. */
export const runsEventSchema = z.strictObject({ type: z.literal('run-summarised'), summary: runSummarySchema });
export type RunsEvent = z.infer<typeof runsEventSchema>;
