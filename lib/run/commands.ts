import { z } from 'zod';
import type { ConstellationDocument, ImportedOutcomes } from '@/lib/constellation/constellation';
import type { ImportWarning } from '@/lib/constellation/import-warning';
import { deviceIdSchema, type LineId, type RunId, runIdSchema, type TaskId, taskIdSchema } from '@/lib/std/ids';
import type { AttemptOutcome, FailureCause, TaskResult } from './run';

const runId = runIdSchema;
const taskId = taskIdSchema;
const reason = z.string().max(1024).optional();

/** What a person, the planner or the API wants of a run; may be refused. */
export const runCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('run-launch'), runId }),
  z.strictObject({ type: z.literal('run-cancel'), runId, reason }),
  z.strictObject({
    type: z.literal('task-place'),
    runId,
    taskId,
    deviceId: deviceIdSchema.nullable(),
    /** The plan's revision on the screen of who asks; another one is refused. */
    baseRevision: z.int().min(0),
  }),
  /** Without `deviceId` the task goes where it is placed. */
  z.strictObject({ type: z.literal('task-dispatch'), runId, taskId, deviceId: deviceIdSchema.optional() }),
  z.strictObject({ type: z.literal('task-cancel'), runId, taskId, reason }),
  /** With `deviceId` the task is placed there first. */
  z.strictObject({ type: z.literal('task-retry'), runId, taskId, deviceId: deviceIdSchema.optional() }),
]);
export type RunCommand = z.infer<typeof runCommandSchema>;
export type RunCommandType = RunCommand['type'];

/** A new run, already read and validated; comes over HTTP only. */
export type RunCreate = {
  readonly type: 'run-create';
  readonly runId: RunId;
  readonly document: ConstellationDocument;
  readonly outcomes: ImportedOutcomes;
  readonly warnings: readonly ImportWarning[];
  readonly launch: 'draft' | 'at-once';
};

/** What only the planner may ask for; checked by the same rules as a command. */
export type RunStep =
  | { readonly type: 'task-skip'; readonly runId: RunId; readonly taskId: TaskId; readonly lineId: LineId }
  | { readonly type: 'run-end'; readonly runId: RunId };

/** What a device link has seen; only the link that owns the attempt may report it. */
export type RunReport =
  | { readonly type: 'attempt-sending'; readonly runId: RunId; readonly taskId: TaskId; readonly attempt: number }
  | { readonly type: 'attempt-accepted'; readonly runId: RunId; readonly taskId: TaskId; readonly attempt: number }
  | {
      readonly type: 'attempt-ended';
      readonly runId: RunId;
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly outcome: AttemptOutcome;
      readonly result: TaskResult;
      readonly error: string | null;
      /** Set for `failed`. */
      readonly cause: FailureCause | null;
    }
  | {
      readonly type: 'attempt-lost';
      readonly runId: RunId;
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly reason: string;
    };

/** Why a command was refused; closed, so that the screen has a sentence for each. */
export const REFUSAL_CODES = [
  'run-unknown',
  'task-unknown',
  'device-unknown',
  'device-missing',
  'device-exists',
  'device-busy',
  'device-offline',
  'already-launched',
  'already-dispatched',
  'run-ended',
  'task-not-ready',
  'task-running',
  'task-ended',
  'task-not-failed',
  'task-not-running',
  'stale-revision',
  'stale-attempt',
  'invalid',
  'not-allowed',
  'forbidden',
  'expired',
  'conflict',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A rule said no. The message says what was expected, what came and what to do. */
export type Refusal = { readonly code: RefusalCode; readonly message: string };
