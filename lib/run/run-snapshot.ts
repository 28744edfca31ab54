import { z } from 'zod';
import {
  constellationDocumentSchema,
  constellationStateSchema,
  fromDocument,
  toDocument,
} from '@/lib/constellation/constellation';
import { importWarningSchema } from '@/lib/constellation/import-warning';
import { taskStatusSchema } from '@/lib/constellation/task-star';
import { deviceIdSchema, runIdSchema, sessionIdSchema, taskIdSchema } from '@/lib/std/ids';
import { err, ok, type Result } from '@/lib/std/result';
import {
  attemptStateSchema,
  cancelCauseSchema,
  failureCauseSchema,
  type Run,
  strayResultSchema,
  taskResultSchema,
} from './run';

const atMs = z.number();
const error = z.string().nullable();

const attemptSchema = z.strictObject({
  number: z.int().min(1),
  deviceId: deviceIdSchema,
  sessionId: sessionIdSchema,
  actor: z.string(),
  queuedAtMs: atMs,
  sendingAtMs: atMs.nullable(),
  acceptedAtMs: atMs.nullable(),
  state: attemptStateSchema,
  supersededResult: taskResultSchema,
  strays: z.array(strayResultSchema),
});

const taskRunSchema = z.strictObject({
  taskId: taskIdSchema,
  status: taskStatusSchema,
  result: taskResultSchema,
  error,
  failureCause: failureCauseSchema.nullable(),
  cancelCause: cancelCauseSchema.nullable(),
  startedAtMs: atMs.nullable(),
  endedAtMs: atMs.nullable(),
  currentRetry: z.int().min(0),
  attempts: z.array(attemptSchema),
});

/** The fold of a run as plain JSON: what a browser starts from, and what spares the journal a long replay. */
const runSnapshotSchema = z.strictObject({
  form: z.literal('run/1'),
  runId: runIdSchema,
  document: constellationDocumentSchema,
  tasks: z.array(taskRunSchema),
  state: constellationStateSchema,
  revision: z.int().min(0),
  warnings: z.array(importWarningSchema),
  createdAtMs: atMs,
  createdBy: z.string(),
  launchedAtMs: atMs.nullable(),
  launchedBy: z.string().nullable(),
  startedAtMs: atMs.nullable(),
  endedAtMs: atMs.nullable(),
  cancelAsked: z.strictObject({ atMs, actor: z.string(), reason: z.string().nullable() }).nullable(),
});
export type RunSnapshot = z.infer<typeof runSnapshotSchema>;

/** Shares its values with the run; meant to be written out at once. */
export function toRunSnapshot(run: Run): z.input<typeof runSnapshotSchema> {
  const { constellation, tasks, warnings, ...rest } = run;
  return {
    form: 'run/1',
    ...rest,
    document: toDocument(constellation),
    tasks: [...tasks.values()].map((task) => ({
      ...task,
      attempts: task.attempts.map((attempt) => ({ ...attempt, strays: [...attempt.strays] })),
    })),
    warnings: [...warnings],
  };
}

function fromRunSnapshot(snapshot: RunSnapshot): Run {
  const { form: _form, document, tasks, ...rest } = snapshot;
  return {
    ...rest,
    constellation: fromDocument(document),
    tasks: new Map(tasks.map((task) => [task.taskId, task])),
  };
}

/** For text that came from outside and was parsed as JSON. The failure says what was wrong first. */
export function parseRunSnapshot(value: unknown): Result<Run, string> {
  const parsed = runSnapshotSchema.safeParse(value);
  if (parsed.success) return ok(fromRunSnapshot(parsed.data));
  const [issue] = parsed.error.issues;
  return err(`Expected the snapshot of a run; at ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'unreadable'}`);
}
