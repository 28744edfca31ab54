import { z } from 'zod';
import { constellationStateSchema } from '@/lib/constellation/constellation';
import { formatTimestamp } from '@/lib/constellation/timestamps';
import { type RunSummary, runSummarySchema } from '@/lib/run/run-summary';

const time = z.string().nullable();

/** One row of `GET /v1/runs`, and what every command on a run answers. */
export const runRowSchema = z.strictObject({
  run_id: z.string(),
  constellation_id: z.string(),
  name: z.string(),
  state: constellationStateSchema,
  created_at: z.string(),
  created_by: z.string(),
  launched_at: time,
  started_at: time,
  ended_at: time,
  task_count: z.int(),
  counts: runSummarySchema.shape.counts,
  first_failure: z.strictObject({ task_id: z.string(), name: z.string(), error: z.string() }).nullable(),
});
export type RunRow = z.infer<typeof runRowSchema>;

export function toRunRow(summary: RunSummary): RunRow {
  const { firstFailure } = summary;
  return {
    run_id: summary.runId,
    constellation_id: summary.constellationId,
    name: summary.name,
    state: summary.state,
    created_at: formatTimestamp(summary.createdAtMs),
    created_by: summary.createdBy,
    launched_at: isoOrNull(summary.launchedAtMs),
    started_at: isoOrNull(summary.startedAtMs),
    ended_at: isoOrNull(summary.endedAtMs),
    task_count: summary.taskCount,
    counts: summary.counts,
    first_failure:
      firstFailure === null
        ? null
        : { task_id: firstFailure.taskId, name: firstFailure.name, error: firstFailure.error },
  };
}

function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatTimestamp(atMs);
}
