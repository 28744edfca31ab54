import type { ServerMessage } from '@/lib/aip/messages';
import { agreedExtensions, constellationVerdict } from '@/lib/aip/protocol/registration';
import { assertNever } from '@/lib/std/assert-never';
import { isJsonObject } from '@/lib/std/json';
import type { LinkSignal } from './constellation-types';

export type LinkPhase =
  | { readonly phase: 'registering'; readonly announced: readonly string[] }
  | { readonly phase: 'open'; readonly extensions: readonly string[] };

/** What a frame means to a link; `refused` while registering is the end of it. */
export type LinkEvent =
  | Extract<LinkSignal, { kind: 'task-accepted' | 'task-ended' | 'refused' | 'info-pushed' | 'log' }>
  | { readonly kind: 'registered'; readonly extensions: readonly string[] }
  | { readonly kind: 'alive' }
  | { readonly kind: 'info-answered'; readonly requestId: string; readonly answer: ServerMessage }
  | { readonly kind: 'ignored'; readonly why: string };

/**
 * The one place that tells apart what the wire spells alike: heartbeat with `ok` is a confirmed registration, an
 * accepted task or a sign of life, by phase and `session_id`.
 */
export function toSignal(message: ServerMessage, phase: LinkPhase): LinkEvent {
  return phase.phase === 'registering'
    ? whileRegistering(message, phase.announced)
    : whileOpen(message, phase.extensions);
}

function whileRegistering(message: ServerMessage, announced: readonly string[]): LinkEvent {
  const verdict = constellationVerdict(message);
  if (verdict === 'refused') return refused(message);
  if (verdict === 'registered') return { kind: 'registered', extensions: agreedExtensions(message, announced) };
  return { kind: 'ignored', why: `${message.type} with status ${message.status} before the registration` };
}

function whileOpen(message: ServerMessage, extensions: readonly string[]): LinkEvent {
  switch (message.type) {
    case 'heartbeat':
      return ofHeartbeat(message, extensions);
    case 'task_end':
      return ofTaskEnd(message);
    case 'error':
      return refused(message);
    case 'device_info_response':
      return ofInfo(message, extensions);
    case 'task':
    case 'command':
    case 'device_info_request':
      return { kind: 'ignored', why: `${message.type} is for devices` };
    default:
      return assertNever(message.type);
  }
}

function ofHeartbeat(message: ServerMessage, extensions: readonly string[]): LinkEvent {
  const { session_id: sessionId, messages } = message;
  if (!sessionId) return { kind: 'alive' };
  if (message.status === 'ok') return { kind: 'task-accepted', sessionId };
  if (message.status === 'continue' && messages && extensions.includes('log')) {
    return { kind: 'log', sessionId, messages };
  }
  return { kind: 'alive' };
}

function ofTaskEnd(message: ServerMessage): LinkEvent {
  if (!message.session_id) return { kind: 'ignored', why: 'task_end without session_id' };
  return {
    kind: 'task-ended',
    sessionId: message.session_id,
    status: message.status === 'completed' ? 'completed' : 'failed',
    rawStatus: message.status,
    result: message.result,
    ...(message.error !== undefined && { error: message.error }),
    ...(message.messages && { messages: message.messages }),
  };
}

function ofInfo(message: ServerMessage, extensions: readonly string[]): LinkEvent {
  if (message.response_id) return { kind: 'info-answered', requestId: message.response_id, answer: message };
  const { result } = message;
  if (extensions.includes('device_info') && result !== undefined && isJsonObject(result)) {
    return { kind: 'info-pushed', info: result };
  }
  return { kind: 'ignored', why: 'device_info_response without response_id' };
}

function refused(message: ServerMessage): LinkEvent {
  return { kind: 'refused', message: message.error ?? 'The server refused the last message and did not say why' };
}
