import { describe, expect, test } from 'vitest';
import { vectorCases } from '@/lib/aip/testing/vectors';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import {
  type ClientMessage,
  clientMessageSchema,
  messageValidator,
  type ServerMessage,
  serverMessageSchema,
  validateClientMessage,
  validateServerMessage,
} from './index';

const client = (message: JsonObject): ClientMessage => clientMessageSchema.parse({ status: 'ok', ...message });
const server = (message: JsonObject): ServerMessage => serverMessageSchema.parse({ status: 'ok', ...message });

test.each([
  ['register-names-client', { type: 'register' }],
  ['register-names-client', { type: 'register', client_id: ' ' }],
  ['task-has-request', { type: 'task', client_id: 'd' }],
  ['task-has-request', { type: 'task', client_id: 'd', request: '' }],
  ['task-has-request', { type: 'task', client_id: 'd', request: ' \n' }],
  ['results-name-session', { type: 'command_results', prev_response_id: 'r', action_results: [] }],
  ['results-name-command', { type: 'command_results', session_id: 's', action_results: [] }],
  ['task-end-names-session', { type: 'task_end', status: 'failed' }],
  ['task-end-has-outcome', { type: 'task_end', status: 'continue', session_id: 's' }],
  ['log-names-session', { type: 'heartbeat', status: 'continue', metadata: { messages: ['line'] } }],
])('a client message breaks the rule %s: %j', (rule, message) => {
  expect(validateClientMessage(client(message))).toMatchObject({ rule, reason: expect.stringContaining('Expected ') });
});

test.each([
  ['task-end-names-session', { type: 'task_end', status: 'completed', result: [] }],
  ['log-names-session', { type: 'heartbeat', status: 'continue', messages: ['line'] }],
])('a server message breaks the rule %s: %j', (rule, message) => {
  expect(validateServerMessage(server(message))).toMatchObject({ rule, reason: expect.stringContaining('Expected ') });
});

test.each([
  ['a device starts a task without a session', { type: 'task', client_id: 'd', request: 'r', metadata: {} }],
  ['a task names no client', { type: 'task', request: 'r' }],
  ['a heartbeat names nobody', { type: 'heartbeat' }],
  ['a heartbeat of a constellation says that it is a device', { type: 'heartbeat', metadata: { device_id: 'd' } }],
  ['a question about a device has no id', { type: 'device_info_request', client_type: 'constellation' }],
  ['a device tells what it is unasked', { type: 'device_info_response' }],
  ['a registration has another status', { type: 'register', status: 'failed', client_id: 'd' }],
  ['results of an agent are null', { type: 'command_results', session_id: 's', prev_response_id: 'r' }],
  ['an error has no text', { type: 'error' }],
])('what stock clients send keeps the rules: %s', (_what, message) => {
  expect(validateClientMessage(client(message))).toBeUndefined();
});

test.each([
  ['a command without actions', { type: 'command', session_id: 's', response_id: 'r' }],
  ['a command with an empty list of actions', { type: 'command', actions: [], response_id: 'r' }],
  ['a command without an id', { type: 'command', actions: [{ tool_name: 'a', tool_type: 'action' }] }],
  ['a task without a request', { type: 'task', task_name: 't' }],
  ['an end with any outcome', { type: 'task_end', status: 'ok', session_id: 's' }],
  ['a bare acknowledgement', { type: 'heartbeat' }],
  ['a question to a device', { type: 'device_info_request' }],
  ['an answer without a result', { type: 'device_info_response' }],
  ['an error with status ok', { type: 'error', status: 'ok' }],
])('what a client has to answer or to take keeps the rules: %s', (_what, message) => {
  expect(validateServerMessage(server(message))).toBeUndefined();
});

test('[AIP-89] results that belong to no command are refused without a word, anything else is told', () => {
  expect(validateClientMessage(client({ type: 'command_results' }))?.isUnanswered).toBe(true);
  expect(validateClientMessage(client({ type: 'task' }))?.isUnanswered).toBeUndefined();
});

test('[AIP-97] an error keeps all rules, so that nobody ever refuses a refusal', () => {
  expect(validateClientMessage(client({ type: 'error', status: 'completed' }))).toBeUndefined();
  expect(validateServerMessage(server({ type: 'error', status: 'completed' }))).toBeUndefined();
});

test('the reason of a breach repeats nothing that came', () => {
  const breach = validateClientMessage(client({ type: 'task_end', session_id: 'hunter2', task_name: 'hunter2' }));

  expect(breach?.rule).toBe('task-end-has-outcome');
  expect(JSON.stringify(breach)).not.toContain('hunter2');
});

test('the validator carries the rules of both directions', () => {
  expect(messageValidator.breachOfClientMessage).toBe(validateClientMessage);
  expect(messageValidator.breachOfServerMessage).toBe(validateServerMessage);
});

/** Every frame in a recording, by the type that a message would have. */
function framesIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(framesIn);
  if (value === undefined || !isJsonObject(value)) return [];
  const inside = Object.values(value).flatMap(framesIn);
  return typeof value.type === 'string' && typeof value.status === 'string' ? [value, ...inside] : inside;
}

/** What no peer can mean, although it was recorded: the stock peers drop it as well, but for the task without a request. */
const REFUSED: Record<string, string> = {
  'register-silent-drop:missing-client_id': 'register-names-client',
  'register-silent-drop:empty-client_id': 'register-names-client',
  'client-message': 'register-names-client',
  'missing-response_id': 'results-name-command',
  'task-without-request': 'task-has-request',
  task_end: 'task-end-names-session',
  'task_end-without-session-ignored': 'task-end-names-session',
};

const recordings = (
  await Promise.all(['server_transcripts', 'device_client', 'galaxy_client'].map((file) => vectorCases(file)))
).flat();

describe('the rules and what stock peers were recorded to say', () => {
  const titled = recordings.map((vector) => {
    const rule = REFUSED[vector.name];
    return [vector.name, rule === undefined ? 'keeps all rules' : `is refused by ${rule}`, vector] as const;
  });

  test.each(titled)('%s %s', (name, _verdict, vector) => {
    const breaches = new Set(framesIn([vector.input, vector.output ?? null]).map(breachOf));
    breaches.delete(undefined);
    const rule = REFUSED[name];
    expect([...breaches]).toEqual(rule === undefined ? [] : [rule]);
  });
});

/** A frame that is no message breaks no rule: the schemas refuse it. */
function breachOf(frame: JsonObject): string | undefined {
  if (isFromClient(frame)) {
    const message = clientMessageSchema.safeParse(frame);
    return message.success ? validateClientMessage(message.data)?.rule : undefined;
  }
  const message = serverMessageSchema.safeParse(frame);
  return message.success ? validateServerMessage(message.data)?.rule : undefined;
}

/** Clients name themselves or their role in everything that they send. */
function isFromClient(frame: JsonObject): boolean {
  return 'client_id' in frame || 'client_type' in frame || frame.type === 'register';
}
