import { z } from 'zod';
import {
  constellationDocumentSchema,
  constellationStateSchema,
  taskOutcomesSchema,
} from '@/lib/constellation/constellation';
import { importWarningSchema } from '@/lib/constellation/import-warning';
import { deviceIdSchema, runIdSchema, sessionIdSchema, taskIdSchema } from '@/lib/std/ids';
import { attemptOutcomeSchema, cancelCauseSchema, failureCauseSchema, taskResultSchema } from './run';

const atMs = z.number();
/** Who did it: an operator's name, `api`, `relay`. */
const actor = z.string().max(128);
const taskId = taskIdSchema;
const attempt = z.int().min(1);
const reason = z.string().max(4096).nullable();
const error = z.string().nullable();

/** Everything that can happen to a run. Past tense, never refused, never changed; `evolve` folds them. */
export const runEventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run-created'),
    atMs,
    actor,
    runId: runIdSchema,
    document: constellationDocumentSchema,
    outcomes: taskOutcomesSchema,
    warnings: z.array(importWarningSchema),
  }),
  z.strictObject({ type: z.literal('run-launched'), atMs, actor }),
  z.strictObject({ type: z.literal('run-cancel-asked'), atMs, actor, reason }),
  z.strictObject({ type: z.literal('run-ended'), atMs, state: constellationStateSchema }),
  z.strictObject({ type: z.literal('run-reopened'), atMs, actor }),
  z.strictObject({ type: z.literal('task-placed'), atMs, actor, taskId, deviceId: deviceIdSchema.nullable() }),
  z.strictObject({
    type: z.literal('task-dispatched'),
    atMs,
    actor,
    taskId,
    attempt,
    deviceId: deviceIdSchema,
    sessionId: sessionIdSchema,
  }),
  z.strictObject({ type: z.literal('attempt-sending'), atMs, taskId, attempt }),
  z.strictObject({ type: z.literal('attempt-accepted'), atMs, taskId, attempt }),
  z.strictObject({ type: z.literal('attempt-cancelling'), atMs, actor, taskId, attempt, reason }),
  z.strictObject({ type: z.literal('attempt-ended'), atMs, taskId, attempt, outcome: attemptOutcomeSchema, error }),
  z.strictObject({ type: z.literal('attempt-lost'), atMs, taskId, attempt, reason: z.string() }),
  z.strictObject({
    type: z.literal('attempt-strayed'),
    atMs,
    taskId,
    attempt,
    outcome: attemptOutcomeSchema,
    result: taskResultSchema,
    error,
  }),
  z.strictObject({ type: z.literal('task-completed'), atMs, taskId, result: taskResultSchema }),
  z.strictObject({
    type: z.literal('task-failed'),
    atMs,
    taskId,
    result: taskResultSchema,
    error: z.string(),
    cause: failureCauseSchema,
  }),
  z.strictObject({ type: z.literal('task-cancelled'), atMs, taskId, cause: cancelCauseSchema, error: z.string() }),
  /** Back to pending: a retry, or the end of what had blocked it. */
  z.strictObject({ type: z.literal('task-reset'), atMs, actor, taskId, why: z.enum(['retry', 'unblocked']) }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
