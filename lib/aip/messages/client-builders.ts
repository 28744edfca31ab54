import type { JsonObject } from '@/lib/std/json';
import type { ClientMessage } from './client-message';
import type { CommandResult } from './command';
import { type DeviceManifest, manifestMembers } from './device-manifest';
import type { ClientType, TaskStatus } from './enums';
import { toTimestamp } from './timestamp';

/** What a client says. Each builder takes what varies and the time of writing in milliseconds. */
export type DeviceRegistration = {
  readonly clientId: string;
  readonly platform: string;
  /** Its own `platform` wins over the argument; `registration_time` is set here. */
  readonly metadata?: JsonObject;
  readonly manifest?: DeviceManifest | undefined;
  readonly extensions?: readonly string[];
  /** The token of the last confirmation: the device asks for the sessions that it had (extension `resume`). */
  readonly resume?: string | undefined;
};

export function buildDeviceRegister(registration: DeviceRegistration, atMs: number): ClientMessage {
  const { clientId, platform, metadata = {}, manifest, extensions, resume } = registration;
  return {
    type: 'register',
    status: 'ok',
    client_type: 'device',
    client_id: clientId,
    timestamp: toTimestamp(atMs),
    metadata: {
      platform,
      ...metadata,
      ...(manifest && manifestMembers(manifest)),
      registration_time: toTimestamp(atMs),
      ...announced(extensions),
      ...(resume !== undefined && { resume }),
    },
  };
}

export type ConstellationRegistration = {
  readonly clientId: string;
  readonly targetId: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
};

export function buildConstellationRegister(registration: ConstellationRegistration, atMs: number): ClientMessage {
  const { clientId, targetId, metadata = {}, extensions } = registration;
  return {
    type: 'register',
    status: 'ok',
    client_type: 'constellation',
    client_id: clientId,
    target_id: targetId,
    timestamp: toTimestamp(atMs),
    metadata: {
      ...metadata,
      type: 'constellation_client',
      targeted_device_id: targetId,
      registration_time: toTimestamp(atMs),
      ...announced(extensions),
    },
  };
}

/** A peer that announces nothing looks like a stock one, so the member is absent rather than empty. */
function announced(extensions: readonly string[] | undefined): JsonObject {
  return extensions === undefined || extensions.length === 0 ? {} : { extensions };
}

export type Sender = { readonly clientId: string; readonly clientType: ClientType; readonly metadata?: JsonObject };

export function buildHeartbeat({ clientId, clientType, metadata }: Sender, atMs: number): ClientMessage {
  return {
    type: 'heartbeat',
    status: 'ok',
    client_type: clientType,
    client_id: clientId,
    timestamp: toTimestamp(atMs),
    ...(metadata && { metadata }),
  };
}

export type ConstellationTask = {
  readonly clientId: string;
  readonly targetId: string;
  readonly sessionId: string;
  readonly taskName: string;
  readonly request: string;
  readonly requestId?: string;
  readonly metadata?: JsonObject;
  /** The session's deadline (extension `deadline`). */
  readonly timeoutSeconds?: number | undefined;
};

export function buildConstellationTask(task: ConstellationTask, atMs: number): ClientMessage {
  return {
    type: 'task',
    status: 'continue',
    client_type: 'constellation',
    session_id: task.sessionId,
    task_name: task.taskName,
    client_id: task.clientId,
    target_id: task.targetId,
    request: task.request,
    timestamp: toTimestamp(atMs),
    ...(task.requestId !== undefined && { request_id: task.requestId }),
    ...metadataOf(task),
  };
}

/** A TASK without anything to add has no metadata, as a stock one. */
function metadataOf({ metadata, timeoutSeconds }: ConstellationTask): Pick<ClientMessage, 'metadata'> {
  if (timeoutSeconds === undefined) return metadata ? { metadata } : {};
  return { metadata: { ...metadata, timeout_seconds: timeoutSeconds } };
}

export type DeviceTask = {
  readonly clientId: string;
  readonly taskName: string;
  readonly request: string | undefined;
  readonly requestId: string;
  readonly platform: string;
};

/** A device starts a task on itself; the server chooses the session. */
export function buildDeviceTask(task: DeviceTask, atMs: number): ClientMessage {
  return {
    type: 'task',
    status: 'continue',
    client_type: 'device',
    task_name: task.taskName,
    client_id: task.clientId,
    ...(task.request !== undefined && { request: task.request }),
    timestamp: toTimestamp(atMs),
    request_id: task.requestId,
    metadata: { platform: task.platform },
  };
}

export type CommandAnswer = {
  readonly clientId: string;
  readonly requestId: string;
  readonly status: TaskStatus;
  readonly sessionId: string | undefined;
  readonly prevResponseId: string | undefined;
  readonly results: readonly CommandResult[];
};

export function buildCommandResults(answer: CommandAnswer, atMs: number): ClientMessage {
  return {
    type: 'command_results',
    status: answer.status,
    client_type: 'device',
    ...(answer.sessionId !== undefined && { session_id: answer.sessionId }),
    client_id: answer.clientId,
    action_results: [...answer.results],
    timestamp: toTimestamp(atMs),
    request_id: answer.requestId,
    ...(answer.prevResponseId !== undefined && { prev_response_id: answer.prevResponseId }),
  };
}

export type InfoQuestion = { readonly clientId: string; readonly targetId: string; readonly requestId: string };

export function buildDeviceInfoRequest(question: InfoQuestion, atMs: number): ClientMessage {
  return {
    type: 'device_info_request',
    status: 'ok',
    client_type: 'constellation',
    client_id: question.clientId,
    target_id: question.targetId,
    timestamp: toTimestamp(atMs),
    request_id: question.requestId,
  };
}

export type DeviceInfoReport = {
  readonly clientId: string;
  readonly metadata: JsonObject;
  /** The `response_id` of the server's question; absent when the device speaks unasked. */
  readonly prevResponseId?: string | undefined;
};

export function buildDeviceInfoReport(report: DeviceInfoReport, atMs: number): ClientMessage {
  return {
    type: 'device_info_response',
    status: 'ok',
    client_type: 'device',
    client_id: report.clientId,
    timestamp: toTimestamp(atMs),
    ...(report.prevResponseId !== undefined && { prev_response_id: report.prevResponseId }),
    metadata: report.metadata,
  };
}
