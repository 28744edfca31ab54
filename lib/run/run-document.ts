import { z } from 'zod';
import { constellationFormSchema, taskFormSchema } from '@/lib/constellation/constellation-form';
import { importWarningSchema } from '@/lib/constellation/import-warning';
import { jsonValueSchema } from '@/lib/std/json';
import { DISPLAY_STATES } from './display-state';
import { type AttemptPhase, attemptOutcomeSchema, failureCauseSchema } from './run';

const time = z.string().nullable();
const outcome = attemptOutcomeSchema.nullable();

/** A result too large for the body: fetched by its handle. */
const resultBlobSchema = z.strictObject({ handle: z.string(), size_bytes: z.number() }).nullable();

const strayResourceSchema = z.strictObject({
  at: z.string(),
  outcome: attemptOutcomeSchema,
  result: jsonValueSchema,
  result_blob: resultBlobSchema,
  error: z.string().nullable(),
});

const ATTEMPT_PHASES = [
  'queued',
  'sending',
  'accepted',
  'cancelling',
  'ended',
  'lost',
] as const satisfies readonly AttemptPhase[];

const attemptResourceSchema = z.strictObject({
  number: z.int(),
  device_id: z.string(),
  session_id: z.string(),
  /** Who dispatched it. */
  actor: z.string(),
  phase: z.enum(ATTEMPT_PHASES),
  queued_at: z.string(),
  sending_at: time,
  accepted_at: time,
  /** When it ended or was lost. */
  ended_at: time,
  outcome,
  result: jsonValueSchema,
  result_blob: resultBlobSchema,
  error: z.string().nullable(),
  cancel_asked_at: time,
  cancel_asked_by: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  /** Results that came too late to count. */
  strays: z.array(strayResourceSchema),
});
export type AttemptResource = z.infer<typeof attemptResourceSchema>;

const runTaskSchema = taskFormSchema.extend({
  display_state: z.enum(DISPLAY_STATES),
  failure_cause: failureCauseSchema.nullable(),
  cancel_cause: z.enum(['operator', 'run', 'blocked']).nullable(),
  /** The line that forbids a skipped task. */
  blocked_by: z.string().nullable(),
  /** One sentence for a task that neither runs nor has ended. */
  waiting_reason: z.string().nullable(),
  result_blob: resultBlobSchema,
  attempts: z.array(attemptResourceSchema),
});
export type RunTask = z.infer<typeof runTaskSchema>;

/** What `GET /v1/runs/{id}` answers: the reference's form of the constellation, and what a run adds to it. */
export const runDocumentSchema = constellationFormSchema.extend({
  run_id: z.string(),
  tasks: z.record(z.string(), runTaskSchema),
  /** Counts changes of the plan. */
  revision: z.int(),
  run_created_at: z.string(),
  created_by: z.string(),
  launched_at: time,
  launched_by: z.string().nullable(),
  cancel_asked_at: time,
  cancel_asked_by: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  warnings: z.array(importWarningSchema),
});
export type RunDocument = z.infer<typeof runDocumentSchema>;
