import { z } from 'zod';
import type { Constellation, ConstellationState } from '@/lib/constellation/constellation';
import type { ImportWarning } from '@/lib/constellation/import-warning';
import type { TaskStatus } from '@/lib/constellation/task-star';
import { type DeviceId, lineIdSchema, type RunId, type SessionId, type TaskId } from '@/lib/std/ids';
import { jsonValueSchema } from '@/lib/std/json';

/**
 * A task's result: in the event itself, or, above 1 MiB, in a blob that HTTP serves.
 * A success that returned null is `{ kind: 'inline', value: null }`; `none` means that nothing was returned yet.
 */
export const taskResultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('inline'), value: jsonValueSchema }),
  z.strictObject({ kind: z.literal('blob'), handle: z.string(), sizeBytes: z.number() }),
]);
export type TaskResult = Readonly<z.infer<typeof taskResultSchema>>;

export const attemptOutcomeSchema = z.enum(['completed', 'failed', 'cancelled']);
export type AttemptOutcome = z.infer<typeof attemptOutcomeSchema>;

/**
 * One try of one task on one device.
 *
 * ```
 * queued ──► sending ──► accepted ──► ended
 *   │           │           │  └────► cancelling ──► ended (cancelled)
 *   │           └───────────┴───────────┴──► lost
 *   └──► ended (cancelled before it was sent)
 * ```
 * `sending` is journaled before the bytes leave, so a `queued` attempt is certainly unsent.
 */
export const attemptStateSchema = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.literal('queued') }),
  z.strictObject({ phase: z.literal('sending') }),
  z.strictObject({ phase: z.literal('accepted') }),
  z.strictObject({
    phase: z.literal('cancelling'),
    askedAtMs: z.number(),
    /** Who asked. */
    actor: z.string(),
    reason: z.string().nullable(),
  }),
  z.strictObject({
    phase: z.literal('ended'),
    outcome: attemptOutcomeSchema,
    endedAtMs: z.number(),
    error: z.string().nullable(),
  }),
  z.strictObject({ phase: z.literal('lost'), lostAtMs: z.number(), reason: z.string() }),
]);
export type AttemptState = Readonly<z.infer<typeof attemptStateSchema>>;
export type AttemptPhase = AttemptState['phase'];

export type Attempt = {
  /** Counts from 1 within the task; never reused. */
  readonly number: number;
  readonly deviceId: DeviceId;
  readonly sessionId: SessionId;
  readonly actor: string;
  readonly queuedAtMs: number;
  readonly sendingAtMs: number | null;
  readonly acceptedAtMs: number | null;
  readonly state: AttemptState;
  /** What it returned, once a retry has taken its place; until then the task itself holds it. */
  readonly supersededResult: TaskResult;
  /** A result that came too late to count; kept to be seen, never applied. */
  readonly strays: readonly StrayResult[];
};

export const strayResultSchema = z.strictObject({
  atMs: z.number(),
  outcome: attemptOutcomeSchema,
  result: taskResultSchema,
  error: z.string().nullable(),
});
export type StrayResult = Readonly<z.infer<typeof strayResultSchema>>;

/** Why a task failed, beyond the words of its error. */
export const failureCauseSchema = z.enum(['device', 'refused', 'timeout', 'outcome-unknown', 'too-large']);
export type FailureCause = z.infer<typeof failureCauseSchema>;

/** Why a task was cancelled. `blocked` ones come back when what blocked them is retried. */
export const cancelCauseSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('operator') }),
  z.strictObject({ kind: z.literal('run') }),
  z.strictObject({ kind: z.literal('blocked'), lineId: lineIdSchema }),
]);
export type CancelCause = Readonly<z.infer<typeof cancelCauseSchema>>;

/** How one task goes: the execution beside the plan in `Constellation`. */
export type TaskRun = {
  readonly taskId: TaskId;
  readonly status: TaskStatus;
  readonly result: TaskResult;
  readonly error: string | null;
  readonly failureCause: FailureCause | null;
  readonly cancelCause: CancelCause | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly currentRetry: number;
  readonly attempts: readonly Attempt[];
};

/** One execution of one constellation; a draft until launched. */
export type Run = {
  readonly runId: RunId;
  readonly constellation: Constellation;
  readonly tasks: ReadonlyMap<TaskId, TaskRun>;
  readonly state: ConstellationState;
  /** Counts changes of the plan; edits name the revision that they were made against. */
  readonly revision: number;
  readonly warnings: readonly ImportWarning[];
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly launchedAtMs: number | null;
  readonly launchedBy: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly cancelAsked: { readonly atMs: number; readonly actor: string; readonly reason: string | null } | null;
};

/** An attempt that is under way. */
export type LiveAttempt = Attempt & { readonly state: Exclude<AttemptState, { phase: 'ended' | 'lost' }> };

/** The attempt that is under way, if one is. */
export function liveAttempt(task: TaskRun): LiveAttempt | undefined {
  const last = task.attempts.at(-1);
  return last !== undefined && isLive(last) ? last : undefined;
}

function isLive(attempt: Attempt): attempt is LiveAttempt {
  return attempt.state.phase !== 'ended' && attempt.state.phase !== 'lost';
}

export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
