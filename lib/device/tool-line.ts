import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

/** A tool's call inside a message must leave room for the message around it (AIP allows 200 levels). */
const DEPTH_MAX = 64;
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_.:/-]*/;
const KEY = /^[A-Za-z_][A-Za-z0-9_.-]*=/;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

export type ToolCall = { readonly toolName: string; readonly parameters: JsonObject };

/**
 * Reads `tool_name key=value …` or `tool_name {json}`.
 *
 * A value is JSON where it looks like JSON (`5`, `true`, `null`, `"text with spaces"`, `[…]`, `{…}`), else the bare text
 * up to the next space. A number that JavaScript cannot hold exactly stays text.
 *
 * @returns `undefined` when the line is no tool call at all; an error when it begins as one and then goes wrong
 */
export function parseToolLine(line: string): Result<ToolCall, string> | undefined {
  const toolName = TOOL_NAME.exec(line)?.[0];
  if (toolName === undefined) return undefined;
  const rest = line.slice(toolName.length);
  if (rest.trim() === '') return ok({ toolName, parameters: {} });
  if (!/^\s/.test(rest)) return undefined;
  const body = rest.trim();
  if (body.startsWith('{')) return withParameters(toolName, parseObject(body));
  if (!KEY.test(body)) return undefined;
  return withParameters(toolName, parsePairs(body));
}

function withParameters(toolName: string, parameters: Result<JsonObject, string>): Result<ToolCall, string> {
  return parameters.ok ? ok({ toolName, parameters: parameters.value }) : parameters;
}

function parseObject(text: string): Result<JsonObject, string> {
  const parsed = parseJson(text, { depthMax: DEPTH_MAX, protoKey: 'refuse' });
  if (!parsed.ok) return err(`has arguments that are no JSON object on one line: ${parsed.error.message}`);
  return isJsonObject(parsed.value) ? ok(parsed.value) : err('has arguments that are no JSON object');
}

function parsePairs(text: string): Result<JsonObject, string> {
  const pairs = new Map<string, JsonValue>();
  let rest = text;
  while (rest !== '') {
    const key = KEY.exec(rest)?.[0].slice(0, -1);
    if (key === undefined) {
      return err(`expected key=value, got ${shorten(rest)}; put a value with spaces in double quotes`);
    }
    if (key === '__proto__') return err('has the key "__proto__", which is not allowed');
    if (pairs.has(key)) return err(`gives ${key} twice; give it once`);
    const end = endOfValue(rest, key.length + 1);
    if (end === undefined) return err(`has a value of ${key} that is never closed`);
    const value = toValue(rest.slice(key.length + 1, end));
    if (!value.ok) return err(`has a value of ${key} that ${value.error}`);
    pairs.set(key, value.value);
    rest = rest.slice(end).trimStart();
  }
  return ok(Object.fromEntries(pairs));
}

/** Where the value that begins at `start` ends: at the next space that is in no quotes and no brackets. */
function endOfValue(text: string, start: number): number | undefined {
  const isStructured = '"{['.includes(text[start] ?? ' ');
  let depth = 0;
  let isQuoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (isStructured && isQuoted) {
      if (character === '\\') index += 1;
      else if (character === '"') isQuoted = false;
    } else if (isStructured && character === '"') isQuoted = true;
    else if (isStructured && '{['.includes(character)) depth += 1;
    else if (isStructured && '}]'.includes(character)) depth -= 1;
    else if (depth <= 0 && /\s/.test(character)) return index;
  }
  return isQuoted || depth > 0 ? undefined : text.length;
}

function toValue(text: string): Result<JsonValue, string> {
  if (text.startsWith("'")) return err('begins with a single quote; use double quotes');
  if ('"{['.includes(text[0] ?? ' ')) {
    const parsed = parseJson(text, { depthMax: DEPTH_MAX, protoKey: 'refuse' });
    return parsed.ok ? parsed : err(`is no JSON: ${parsed.error.message}`);
  }
  if (!LITERAL.test(text)) return ok(text);
  const value: JsonValue = JSON.parse(text);
  return ok(typeof value === 'number' && !isExact(value) ? text : value);
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
