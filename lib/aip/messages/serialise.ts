import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import { surveyJson } from '@/lib/std/json-survey';
import { err, ok, type Result } from '@/lib/std/result';
import { WRITTEN_DEPTH_MAX } from './aip-json';
import { CLIENT_MESSAGE_FIELDS, type ClientMessage } from './client-message';
import { COMMAND_FIELDS, type Command, type CommandResult, RESULT_FIELDS } from './command';
import { SERVER_MESSAGE_FIELDS, type ServerMessage } from './server-message';

export type SerialiseError = { readonly code: 'too-deep' | 'too-large'; readonly message: string };

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
  return surveyJson(value, { depthMax: WRITTEN_DEPTH_MAX - levelsAround, text: 'known' }) !== undefined;
}

/** Only a client's message has a `client_type`; the parser and the builders always set it. */
function isClientMessage(message: ClientMessage | ServerMessage): message is ClientMessage {
  return 'client_type' in message;
}

function clientShape(message: ClientMessage): JsonValue {
  const shape = inOrder(message, CLIENT_MESSAGE_FIELDS);
  if (message.action_results) {
    shape.action_results = message.action_results.map((result) => inOrder(result, RESULT_FIELDS));
  }
  return shape;
}

function serverShape(message: ServerMessage): JsonValue {
  const shape = inOrder(message, SERVER_MESSAGE_FIELDS);
  if (message.actions) shape.actions = message.actions.map((command) => inOrder(command, COMMAND_FIELDS));
  return shape;
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
  const survey = surveyJson(value, { depthMax: WRITTEN_DEPTH_MAX, text: 'suspect' });
  if (!survey) {
    const message = `Expected at most ${WRITTEN_DEPTH_MAX} levels of nesting in a message; flatten its payload`;
    return err({ code: 'too-deep', message });
  }
  // Half of a surrogate pair would be written as an escape, which a stock peer refuses.
  return stringify(survey.hasHalfPair ? wellFormed(value) : value);
}

/** An engine has a longest text, which is several times the longest message. */
function stringify(value: JsonValue): Result<string, SerialiseError> {
  try {
    return ok(JSON.stringify(value));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return err({ code: 'too-large', message: 'The message is longer than any text may be; send less' });
  }
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const copy: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, member] of Object.entries(value)) copy[key.toWellFormed()] = wellFormed(member);
  return copy;
}
