import type { Constellation, ConstellationState } from '@/lib/constellation/constellation';
import type { TaskStatus } from '@/lib/constellation/task-star';
import type { DeviceId, LineId, RunId, SessionId, TaskId } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';

/**
 * A task's result: in the event itself, or, above 1 MiB, in a blob that HTTP serves.
 * A success that returned null is `{ kind: 'inline', value: null }`; `none` means that nothing was returned yet.
 */
export type TaskResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'inline'; readonly value: JsonValue }
  | { readonly kind: 'blob'; readonly handle: string; readonly sizeBytes: number };

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
export type AttemptState =
  | { readonly phase: 'queued' }
  | { readonly phase: 'sending' }
  | { readonly phase: 'accepted' }
  | {
      readonly phase: 'cancelling';
      readonly askedAtMs: number;
      /** Who asked. */
      readonly actor: string;
      readonly reason: string | null;
    }
  | {
      readonly phase: 'ended';
      readonly outcome: AttemptOutcome;
      readonly endedAtMs: number;
      readonly error: string | null;
    }
  | { readonly phase: 'lost'; readonly lostAtMs: number; readonly reason: string };

export type AttemptPhase = AttemptState['phase'];
export type AttemptOutcome = 'completed' | 'failed' | 'cancelled';

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

export type StrayResult = {
  readonly atMs: number;
  readonly outcome: AttemptOutcome;
  readonly result: TaskResult;
  readonly error: string | null;
};

/** Why a task failed, beyond the words of its error. */
export const FAILURE_CAUSES = ['device', 'refused', 'timeout', 'outcome-unknown', 'too-large'] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** Why a task was cancelled. `blocked` ones come back when what blocked them is retried. */
export type CancelCause =
  | { readonly kind: 'operator' }
  | { readonly kind: 'run' }
  | { readonly kind: 'blocked'; readonly lineId: LineId };

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

export type ImportWarning = { readonly path: string; readonly message: string };

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

/** The attempt that is under way, if one is. */
export function liveAttempt(task: TaskRun): Attempt | undefined {
  const last = task.attempts.at(-1);
  if (last === undefined || last.state.phase === 'ended' || last.state.phase === 'lost') return undefined;
  return last;
}

export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
