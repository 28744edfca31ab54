import type { LinkSignal } from '@/lib/aip/endpoints/constellation-types';
import { failureReasonIn } from '@/lib/aip/endpoints/failure-reason';
import type { RunReport } from '@/lib/run/commands';
import type { FailureCause, TaskResult } from '@/lib/run/run';
import type { JsonValue } from '@/lib/std/json';
import type { AttemptOrder } from './link-host';

export type EndReport = Extract<RunReport, { type: 'attempt-ended' }>;

/** An error text is for reading; what a device has to say at length belongs into its result. */
const ERROR_LENGTH_MAX = 16_384;

const NOTHING: TaskResult = { kind: 'none' };

/** A task's end in the words of the run. Which attempt it is about is known from the link, never from the payload. */
export function endedReport(
  order: AttemptOrder,
  signal: Extract<LinkSignal, { kind: 'task-ended' }>,
  keepResult: (value: JsonValue) => TaskResult,
): EndReport {
  const result = keepResult(signal.result ?? null);
  if (signal.status === 'completed') {
    return { ...base(order), outcome: 'completed', result, error: null, cause: null };
  }
  const said = [signal.error ?? '', failureReasonIn(signal.result)].find((text) => text.trim() !== '');
  const error = shortened(said) || `The device reported "${signal.rawStatus}" without saying why`;
  const kept = signal.result === undefined || signal.result === null ? NOTHING : result;
  return { ...base(order), outcome: 'failed', result: kept, error, cause: 'device' };
}

export function failedReport(order: AttemptOrder, error: string, cause: FailureCause): EndReport {
  return { ...base(order), outcome: 'failed', result: NOTHING, error: shortened(error), cause };
}

function shortened(text = ''): string {
  return text.length > ERROR_LENGTH_MAX ? `${text.slice(0, ERROR_LENGTH_MAX)} …`.toWellFormed() : text;
}

export function cancelledReport(order: AttemptOrder): EndReport {
  return { ...base(order), outcome: 'cancelled', result: NOTHING, error: null, cause: null };
}

export function lostReport({ runId, taskId, attempt }: AttemptOrder, reason: string): RunReport {
  return { type: 'attempt-lost', runId, taskId, attempt, reason };
}

function base({ runId, taskId, attempt }: AttemptOrder) {
  return { type: 'attempt-ended', runId, taskId, attempt } as const;
}

/** How a closed connection reads to an operator. */
export function closeReason(code: number, reason: string): string {
  const words = reason === '' ? '' : `: ${reason.slice(0, 200)}`;
  switch (code) {
    case 1006:
      return `the connection to the device server was cut${words}`;
    case 1000:
    case 1001:
      return `the device server closed the connection${words}`;
    default:
      return `the connection to the device server ended with code ${code}${words}`;
  }
}
