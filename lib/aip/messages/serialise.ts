import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import { WRITTEN_DEPTH_MAX } from './aip-json';
import { CLIENT_MESSAGE_FIELDS, type ClientMessage } from './client-message';
import { COMMAND_FIELDS, type Command, type CommandResult, RESULT_FIELDS } from './command';
import { SERVER_MESSAGE_FIELDS, type ServerMessage } from './server-message';

export type SerialiseError = { readonly code: 'too-deep'; readonly message: string };

/** `JSON.stringify` writes half of a surrogate pair as an escape, which a stock peer refuses. */
const LONE_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/i;

/**
 * A message as the wire carries it: compact, all members in declaration order, absent ones as `null`, lone surrogates
 * replaced, numbers that are not finite as `null`.
 */
export function serialiseMessage(message: ClientMessage | ServerMessage): Result<string, SerialiseError> {
  return serialise(isClientMessage(message) ? clientShape(message) : serverShape(message));
}

export function serialiseCommand(command: Command): Result<string, SerialiseError> {
  return serialise(inOrder(command, COMMAND_FIELDS));
}

export function serialiseResult(result: CommandResult): Result<string, SerialiseError> {
  return serialise(inOrder(result, RESULT_FIELDS));
}

/** A frame of a kind that the two message models do not know, under the same guards. */
export function serialiseFrame(frame: JsonObject): Result<string, SerialiseError> {
  return serialise(frame);
}

/** Whether a payload may stand in a message: it has room for the containers around it. */
export function fitsDepth(value: JsonValue, levelsAround: number): boolean {
  return !isDeeperThan(value, WRITTEN_DEPTH_MAX - levelsAround);
}

/** Only a client's message has a `client_type`; the parser and the builders always set it. */
function isClientMessage(message: ClientMessage | ServerMessage): message is ClientMessage {
  return 'client_type' in message;
}

function clientShape(message: ClientMessage): JsonValue {
  const results = message.action_results?.map((result) => inOrder(result, RESULT_FIELDS)) ?? null;
  return { ...inOrder(message, CLIENT_MESSAGE_FIELDS), action_results: results };
}

function serverShape(message: ServerMessage): JsonValue {
  const actions = message.actions?.map((command) => inOrder(command, COMMAND_FIELDS)) ?? null;
  return { ...inOrder(message, SERVER_MESSAGE_FIELDS), actions };
}

function inOrder<Model extends object>(
  model: Model,
  fields: readonly (keyof Model & string)[],
): Record<string, JsonValue> {
  const ordered: Record<string, JsonValue> = {};
  for (const field of fields) ordered[field] = toJson(model[field]);
  return ordered;
}

/** Every member of a wire model is a JSON value or absent, by its schema; the cast says no more than that. */
function toJson(member: unknown): JsonValue {
  return (member ?? null) as JsonValue;
}

function serialise(value: JsonValue): Result<string, SerialiseError> {
  if (isDeeperThan(value, WRITTEN_DEPTH_MAX)) {
    const message = `Expected at most ${WRITTEN_DEPTH_MAX} levels of nesting in a message; flatten its payload`;
    return err({ code: 'too-deep', message });
  }
  const text = JSON.stringify(value);
  if (text.isWellFormed() && !LONE_SURROGATE.test(text)) return ok(text);
  return ok(JSON.stringify(wellFormed(value)));
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const copy: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, member] of Object.entries(value)) copy[key.toWellFormed()] = wellFormed(member);
  return copy;
}
