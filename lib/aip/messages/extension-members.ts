import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import type { ClientMessage } from './client-message';
import type { ServerMessage } from './server-message';

/**
 * What extensions put into members that are free in the stock models: a client's `metadata`, a server's `result`. A member
 * of another shape counts as absent: no peer can break a message with it.
 */
type Message = ClientMessage | ServerMessage;

/** @returns what a TASK or a COMMAND allows, in seconds; undefined unless it is a number above 0 */
export function timeoutSecondsOf(message: Message): number | undefined {
  const seconds = freeMembers(message).timeout_seconds;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** @returns the lines of a log frame of either side; undefined for every other message */
export function logLinesOf(message: Message): readonly string[] | undefined {
  if (message.type !== 'heartbeat' || message.status !== 'continue' || !message.session_id) return undefined;
  return isFromClient(message) ? textsOf(message.metadata?.messages) : message.messages;
}

/** @returns the token in a REGISTER or in its confirmation */
export function resumeTokenOf(message: Message): string | undefined {
  const token = freeMembers(message).resume;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** Whether a confirmation says that the sessions of the last connection go on. */
export function isResumed(confirmation: ServerMessage): boolean {
  return freeMembers(confirmation).resumed === true;
}

/** @returns what a device's TASK_END says of the result; undefined when it has none */
export function taskResultOf(ending: ClientMessage): JsonValue | undefined {
  return ending.metadata?.result;
}

/** Whether device information was told from memory, since the device did not answer. */
export function isStale(answer: ServerMessage): boolean {
  return freeMembers(answer).stale === true;
}

function freeMembers(message: Message): JsonObject {
  const members = isFromClient(message) ? message.metadata : message.result;
  return members !== undefined && isJsonObject(members) ? members : {};
}

/** Only a client's message has a `client_type`; the parser and the builders always set it. */
function isFromClient(message: Message): message is ClientMessage {
  return 'client_type' in message;
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string');
}
