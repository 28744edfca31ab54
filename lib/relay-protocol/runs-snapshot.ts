import { z } from 'zod';
import { type RunSummary, runSummarySchema } from '@/lib/run/run-summary';
import { err, ok, type Result } from '@/lib/std/result';

/** The fold of the stream `runs` as plain JSON: the newest summary of each run, newest run first. */
const runsSnapshotSchema = z.strictObject({ form: z.literal('runs/1'), runs: z.array(runSummarySchema) });
export type RunsSnapshot = z.infer<typeof runsSnapshotSchema>;

export function toRunsSnapshot(summaries: readonly RunSummary[]): RunsSnapshot {
  return { form: 'runs/1', runs: [...summaries] };
}

/** For text that came from outside and was parsed as JSON. The failure says what was wrong first. */
export function parseRunsSnapshot(value: unknown): Result<readonly RunSummary[], string> {
  const parsed = runsSnapshotSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data.runs);
  const [issue] = parsed.error.issues;
  return err(
    `Expected the snapshot of the runs; at ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'unreadable'}`,
  );
}
