import type { JsonValue } from '@/lib/std/json';
import type { Command } from './command';
import type { TaskStatus } from './enums';
import type { ServerMessage } from './server-message';
import { toTimestamp } from './timestamp';

/** What a device server says. Each builder takes what varies and the time of writing in milliseconds. */
export type Acknowledgement = {
  readonly responseId: string;
  /** Set when a TASK was accepted, absent for a registration or a heartbeat. */
  readonly sessionId?: string;
  readonly result?: JsonValue;
};

/** The one form of yes: registered, alive, task accepted. */
export function buildAcknowledgement(yes: Acknowledgement, atMs: number): ServerMessage {
  return {
    type: 'heartbeat',
    status: 'ok',
    ...(yes.sessionId !== undefined && { session_id: yes.sessionId }),
    timestamp: toTimestamp(atMs),
    response_id: yes.responseId,
    ...(yes.result !== undefined && yes.result !== null && { result: yes.result }),
  };
}

export type RegistrationConfirmation = {
  readonly responseId: string;
  /** Those that both sides know. Empty towards a stock client, whose confirmation has no result at all. */
  readonly extensions: readonly string[];
  /** Set where `resume` was agreed: the token for the next registration, and whether this one took up its sessions. */
  readonly resume?: { readonly token: string; readonly isResumed: boolean } | undefined;
};

export function buildRegistrationConfirmation(yes: RegistrationConfirmation, atMs: number): ServerMessage {
  const { responseId, extensions, resume } = yes;
  if (extensions.length === 0) return buildAcknowledgement({ responseId }, atMs);
  const resumeMembers = resume && { resume: resume.token, resumed: resume.isResumed };
  return buildAcknowledgement({ responseId, result: { extensions, ...resumeMembers } }, atMs);
}

export function buildError(
  refusal: { readonly error: string; readonly responseId: string },
  atMs: number,
): ServerMessage {
  return {
    type: 'error',
    status: 'error',
    error: refusal.error,
    timestamp: toTimestamp(atMs),
    response_id: refusal.responseId,
  };
}

export type TaskAssignment = {
  readonly userRequest: string;
  readonly taskName: string;
  readonly sessionId: string;
  readonly responseId: string;
};

export function buildTaskAssignment(assignment: TaskAssignment, atMs: number): ServerMessage {
  return {
    type: 'task',
    status: 'continue',
    user_request: assignment.userRequest,
    session_id: assignment.sessionId,
    task_name: assignment.taskName,
    timestamp: toTimestamp(atMs),
    response_id: assignment.responseId,
  };
}

export type CommandRound = {
  readonly agentName: string;
  readonly actions: readonly Command[];
  readonly sessionId: string;
  readonly taskName?: string;
  readonly responseId: string;
  /** The stock server always names both, often as empty text. */
  readonly processName?: string;
  readonly rootName?: string;
  /** What is left of the session's deadline (extension `deadline`). */
  readonly timeoutSeconds?: number | undefined;
};

export function buildCommand(round: CommandRound, atMs: number): ServerMessage {
  return {
    type: 'command',
    status: 'continue',
    agent_name: round.agentName,
    ...(round.processName !== undefined && { process_name: round.processName }),
    ...(round.rootName !== undefined && { root_name: round.rootName }),
    actions: [...round.actions],
    session_id: round.sessionId,
    ...(round.taskName !== undefined && { task_name: round.taskName }),
    timestamp: toTimestamp(atMs),
    response_id: round.responseId,
    ...(round.timeoutSeconds !== undefined && { result: { timeout_seconds: round.timeoutSeconds } }),
  };
}

export type TaskEnding = {
  readonly sessionId: string;
  readonly status: 'completed' | 'failed';
  readonly responseId: string;
  readonly error?: string | undefined;
  readonly result?: JsonValue;
  /** The last lines of output (extension `log`). */
  readonly messages?: readonly string[] | undefined;
};

export function buildTaskEnd(ending: TaskEnding, atMs: number): ServerMessage {
  return {
    type: 'task_end',
    status: ending.status,
    ...(ending.messages && { messages: [...ending.messages] }),
    ...(ending.error !== undefined && { error: ending.error }),
    session_id: ending.sessionId,
    timestamp: toTimestamp(atMs),
    response_id: ending.responseId,
    ...(ending.result !== undefined && ending.result !== null && { result: ending.result }),
  };
}

export type LogNotice = {
  readonly sessionId: string;
  readonly lines: readonly string[];
  readonly responseId?: string | undefined;
};

/** Lines that a running task has put out, for its requester (extension `log`). */
export function buildLogNotice(notice: LogNotice, atMs: number): ServerMessage {
  return {
    type: 'heartbeat',
    status: 'continue',
    messages: [...notice.lines],
    session_id: notice.sessionId,
    timestamp: toTimestamp(atMs),
    ...(notice.responseId !== undefined && { response_id: notice.responseId }),
  };
}

export type InfoAnswer = {
  /** The `request_id` of the question; absent when a device has spoken unasked (extension `device_info`). */
  readonly responseId: string | undefined;
  readonly result?: JsonValue;
  readonly status?: TaskStatus;
  readonly error?: string;
};

export function buildDeviceInfoResponse(answer: InfoAnswer, atMs: number): ServerMessage {
  return {
    type: 'device_info_response',
    status: answer.status ?? 'ok',
    ...(answer.error !== undefined && { error: answer.error }),
    timestamp: toTimestamp(atMs),
    ...(answer.responseId !== undefined && { response_id: answer.responseId }),
    ...(answer.result !== undefined && answer.result !== null && { result: answer.result }),
  };
}

/** Asks the device itself (extension `device_info`). */
export function buildDeviceInfoQuestion(responseId: string, atMs: number): ServerMessage {
  return { type: 'device_info_request', status: 'ok', timestamp: toTimestamp(atMs), response_id: responseId };
}
