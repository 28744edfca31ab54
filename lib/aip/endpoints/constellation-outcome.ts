import { isJsonObject, type JsonValue } from '@/lib/std/json';
import type { TaskErrorType, TaskNames, TaskOutcome } from './constellation-endpoint-types';
import type { LinkSignal } from './constellation-types';
import { failureReasonIn } from './failure-reason';

/** What becomes of a task, without its names. */
export type TaskVerdict = {
  readonly result?: JsonValue | undefined;
  readonly messages?: readonly string[] | undefined;
} & (
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly errorType: TaskErrorType; readonly error: string }
);

export function failure(errorType: TaskErrorType, error: string): TaskVerdict {
  return { status: 'failed', errorType, error };
}

export function toOutcome(names: TaskNames, verdict: TaskVerdict): TaskOutcome {
  return { ...names, ...verdict, result: verdict.result, messages: verdict.messages ?? [] };
}

/** What a server of ours says in a result about a task that it ended itself; never what a text says. */
const SERVER_WORDS: readonly TaskErrorType[] = ['timeout', 'cancelled', 'device_disconnection'];

/** @param isCancelled - whether we asked for this end; a task that was faster is completed all the same */
export function verdictOf(
  { status, rawStatus, result, error, messages }: Extract<LinkSignal, { kind: 'task-ended' }>,
  isCancelled: boolean,
): TaskVerdict {
  if (status === 'completed') return { status, result, messages };
  const members = result !== undefined && isJsonObject(result) ? result : {};
  const said = SERVER_WORDS.find((word) => word === members.error_type);
  const errorType = isCancelled ? 'cancelled' : (said ?? 'execution_error');
  return { status, errorType, error: error || reasonOf(result, rawStatus), result, messages };
}

function reasonOf(result: JsonValue | undefined, rawStatus: string): string {
  const reason = failureReasonIn(result);
  if (reason !== '') return reason;
  if (rawStatus === 'failed') return 'The task failed, and the server did not say why';
  return `Expected completed or failed as the end of a task, the server said ${rawStatus}`;
}
