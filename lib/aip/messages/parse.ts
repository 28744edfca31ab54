import type { z } from 'zod';
import { expectedBy, memberAt } from '@/lib/std/describe-issue';
import { isJsonObject, type JsonObject, type JsonProblem, type JsonValue } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import { parseAipJson, withoutOverflow } from './aip-json';
import { type ClientMessage, clientMessageSchema } from './client-message';
import { type Command, type CommandResult, commandSchema, resultSchema } from './command';
import { readClientMessage, readServerMessage } from './message-readers';
import { MISFIT, type ModelReader } from './model-reader';
import { type ServerMessage, serverMessageSchema } from './server-message';

export type AipProblem = { readonly path: string; readonly expected: string; readonly received: string };

/** Why a text is no message. `message` repeats no payload: it may be logged and sent back. */
export type AipParseError = {
  readonly code: 'not-json' | 'too-deep' | 'not-well-formed' | 'not-an-object' | 'wrong-shape';
  readonly message: string;
  readonly problems: readonly AipProblem[];
};

export type Parsed<Model> = Result<Model, AipParseError>;

const PROBLEMS_MAX = 8;

export const parseClientMessage = (text: string): Parsed<ClientMessage> =>
  parseWith({ schema: clientMessageSchema, read: readClientMessage }, text);
export const parseServerMessage = (text: string): Parsed<ServerMessage> =>
  parseWith({ schema: serverMessageSchema, read: readServerMessage }, text);
export const parseCommand = (text: string): Parsed<Command> => parseModel(commandSchema, text);
export const parseResult = (text: string): Parsed<CommandResult> => parseModel(resultSchema, text);

export function parseModel<Model extends object>(schema: z.ZodType<Model>, text: string): Parsed<Model> {
  return parseWith({ schema, read: () => MISFIT }, text);
}

/** A schema says what is right and what is wrong with the rest; its reader comes to the same sooner, or to nothing. */
type Model<Value> = { readonly schema: z.ZodType<Value>; readonly read: ModelReader<Value> };

/** The one place where text of a peer becomes a typed value. */
function parseWith<Value>(model: Model<Value>, text: string): Parsed<Value> {
  const json = parseAipJson(text);
  if (!json.ok) return err(textError(json.error, text));
  const { value, hasOverflow } = json.value;
  if (!isJsonObject(value)) return err(notAnObject(value));
  const parsed = readModel(model, value);
  // Where a number that is not finite was let in, `null` is, too.
  return parsed.ok && hasOverflow ? readModel(model, withoutOverflow(value)) : parsed;
}

function readModel<Value>({ schema, read }: Model<Value>, value: JsonObject): Parsed<Value> {
  const quick = read(value);
  if (quick !== MISFIT) return ok(quick);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const problems = parsed.error.issues.slice(0, PROBLEMS_MAX).map((issue) => toProblem(issue, value));
  return err({ code: 'wrong-shape', message: problems.map(sentenceOf).join('; '), problems });
}

function notAnObject(value: JsonValue): AipParseError {
  const received = kindOf(value);
  const problems = [{ path: '', expected: 'object', received }];
  return { code: 'not-an-object', message: `Expected one JSON object, got ${received}`, problems };
}

/** The engine's own message quotes the text around the fault, so only the place is taken from it. */
function textError({ code, message }: JsonProblem, text: string): AipParseError {
  if (code === 'too-deep' || code === 'not-well-formed') return { code, message, problems: [] };
  const place = /at position \d+/.exec(message)?.[0];
  const where = place === undefined ? '' : ` with a fault ${place}`;
  return { code: 'not-json', message: `Expected JSON, got ${text.length} characters${where}`, problems: [] };
}

function toProblem(issue: z.core.$ZodIssue, value: JsonValue): AipProblem {
  const path = issue.path.reduce<string>((whole, part) => {
    if (typeof part === 'number') return `${whole}[${part}]`;
    return whole === '' ? String(part) : `${whole}.${String(part)}`;
  }, '');
  const member = memberAt(value, issue.path);
  const isWord = issue.code === 'invalid_value' && typeof member === 'string' && /^[\w -]{0,40}$/.test(member);
  return { path, expected: expectedBy(issue), received: isWord ? JSON.stringify(member) : kindOf(member) };
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is not finite';
  return typeof value;
}

function sentenceOf({ path, expected, received }: AipProblem): string {
  return `${path || 'message'}: expected ${expected}, got ${received}`;
}
