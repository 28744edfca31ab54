import type { JsonValue } from '@/lib/std/json';
import type { ClientMessage } from './client-message';
import type { ClientType } from './enums';
import { toTimestamp } from './timestamp';

/** What a client says only to a server that agreed to the extension in question, and its ERROR. */
export type LogReport = { readonly clientId: string; readonly sessionId: string; readonly lines: readonly string[] };

/** Lines that a running command has put out (extension `log`). */
export function buildLogReport(report: LogReport, atMs: number): ClientMessage {
  return {
    type: 'heartbeat',
    status: 'continue',
    client_type: 'device',
    session_id: report.sessionId,
    client_id: report.clientId,
    timestamp: toTimestamp(atMs),
    metadata: { messages: report.lines },
  };
}

export type TaskCancellation = {
  readonly clientId: string;
  readonly sessionId: string;
  /** The requester's role; `constellation` by default. */
  readonly clientType?: ClientType;
  readonly requestId?: string | undefined;
};

/** Asks the server to end a task that this client has requested (extension `cancel`). */
export function buildCancelTask(cancellation: TaskCancellation, atMs: number): ClientMessage {
  const { clientId, sessionId, clientType = 'constellation', requestId } = cancellation;
  return {
    type: 'task_end',
    status: 'failed',
    client_type: clientType,
    session_id: sessionId,
    client_id: clientId,
    timestamp: toTimestamp(atMs),
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

export type DeviceTaskEnding = {
  readonly clientId: string;
  readonly sessionId: string;
  readonly status: 'completed' | 'failed';
  readonly error?: string | undefined;
  readonly result?: JsonValue;
  readonly requestId?: string | undefined;
};

/** Ends a session that this device executes (extension `task_end`). */
export function buildDeviceTaskEnd(ending: DeviceTaskEnding, atMs: number): ClientMessage {
  return {
    type: 'task_end',
    status: ending.status,
    client_type: 'device',
    session_id: ending.sessionId,
    client_id: ending.clientId,
    timestamp: toTimestamp(atMs),
    ...(ending.requestId !== undefined && { request_id: ending.requestId }),
    ...(ending.error !== undefined && { error: ending.error }),
    ...(ending.result !== undefined && { metadata: { result: ending.result } }),
  };
}

export type ClientFault = {
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly error: string;
  readonly sessionId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The `response_id` of what could not be done. */
  readonly prevResponseId?: string | undefined;
};

/** The stock device builds its errors without a status, so none of them ever leaves it; ours has one. */
export function buildClientError(fault: ClientFault, atMs: number): ClientMessage {
  return {
    type: 'error',
    status: 'error',
    client_type: fault.clientType,
    ...(fault.sessionId !== undefined && { session_id: fault.sessionId }),
    client_id: fault.clientId,
    timestamp: toTimestamp(atMs),
    ...(fault.requestId !== undefined && { request_id: fault.requestId }),
    ...(fault.prevResponseId !== undefined && { prev_response_id: fault.prevResponseId }),
    error: fault.error,
  };
}
