import { expect, test } from 'vitest';
import {
  buildCancelTask,
  buildClientError,
  buildCommand,
  buildConstellationTask,
  buildDeviceInfoReport,
  buildDeviceRegister,
  buildDeviceTaskEnd,
  buildLogNotice,
  buildLogReport,
  buildRegistrationConfirmation,
  buildTaskEnd,
  type ClientMessage,
  isResumed,
  isStale,
  logLinesOf,
  manifestMembers,
  manifestOf,
  parseClientMessage,
  parseServerMessage,
  resumeTokenOf,
  type ServerMessage,
  serialiseMessage,
  taskResultOf,
  timeoutSecondsOf,
} from './index';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const TIMESTAMP = '2026-01-02T03:04:05.000000+00:00';

/** What the other side reads: nothing of a message is lost or added on the way. */
function sentByClient(message: ClientMessage): ClientMessage {
  const text = serialiseMessage(message);
  const parsed = text.ok ? parseClientMessage(text.value) : text;
  if (!parsed.ok) throw new Error(parsed.error.message);
  expect(parsed.value).toEqual(message);
  return parsed.value;
}

function sentByServer(message: ServerMessage): ServerMessage {
  const text = serialiseMessage(message);
  const parsed = text.ok ? parseServerMessage(text.value) : text;
  if (!parsed.ok) throw new Error(parsed.error.message);
  expect(parsed.value).toEqual(message);
  return parsed.value;
}

const TASK = { clientId: 'c', targetId: 'd', sessionId: 's', taskName: 't', request: 'r' };
const ROUND = { agentName: 'LinuxAgent', actions: [], sessionId: 's', responseId: 'r-1' };
const MANIFEST = {
  capabilities: ['shell', 'gpu'],
  osVersion: 'Debian 12',
  tools: [{ tool_key: 'action::run', tool_name: 'run', namespace: 'builtin', tool_type: 'action' }],
};

test('a log report of a device carries its session and its lines', () => {
  const report = sentByClient(buildLogReport({ clientId: 'd', sessionId: 's', lines: ['one', ''] }, AT_MS));

  expect(report).toEqual({
    type: 'heartbeat',
    status: 'continue',
    client_type: 'device',
    client_id: 'd',
    session_id: 's',
    timestamp: TIMESTAMP,
    metadata: { messages: ['one', ''] },
  });
  expect(logLinesOf(report)).toEqual(['one', '']);
});

test('a log notice of a server carries its session and its lines', () => {
  const notice = sentByServer(buildLogNotice({ sessionId: 's', lines: ['one'] }, AT_MS));

  expect(notice).toEqual({
    type: 'heartbeat',
    status: 'continue',
    session_id: 's',
    messages: ['one'],
    timestamp: TIMESTAMP,
  });
  expect(logLinesOf(notice)).toEqual(['one']);
});

test('a heartbeat that is no log frame has no lines, whatever its members look like', () => {
  expect(logLinesOf({ type: 'heartbeat', status: 'ok', client_type: 'device', session_id: 's' })).toBeUndefined();
  expect(logLinesOf({ type: 'heartbeat', status: 'continue', messages: ['no session'] })).toBeUndefined();
  const odd = { type: 'heartbeat', status: 'continue', client_type: 'device', session_id: 's' } as const;
  expect(logLinesOf({ ...odd, metadata: { messages: 'text' } })).toBeUndefined();
  expect(logLinesOf({ ...odd, metadata: { messages: ['kept', 5, null] } })).toEqual(['kept']);
});

test('a cancellation names the session and fails it', () => {
  const cancellation = buildCancelTask({ clientId: 'c', sessionId: 's', requestId: 'q' }, AT_MS);

  expect(sentByClient(cancellation)).toEqual({
    type: 'task_end',
    status: 'failed',
    client_type: 'constellation',
    client_id: 'c',
    session_id: 's',
    request_id: 'q',
    timestamp: TIMESTAMP,
  });
});

test.each([false, 0, '', null, [], { a: 1 }])('a device ends its session with the result %j', (result) => {
  const ending = { clientId: 'd', sessionId: 's', status: 'completed', result } as const;

  expect(taskResultOf(sentByClient(buildDeviceTaskEnd(ending, AT_MS)))).toEqual(result);
});

test('a device that ends its session without a result sends no metadata', () => {
  const ending = buildDeviceTaskEnd({ clientId: 'd', sessionId: 's', status: 'failed', error: 'stopped' }, AT_MS);

  expect(sentByClient(ending)).toMatchObject({ type: 'task_end', status: 'failed', error: 'stopped' });
  expect(ending).not.toHaveProperty('metadata');
});

test('an error of a client has a status and names what it answers', () => {
  const fault = { clientId: 'd', clientType: 'device', error: 'boom', sessionId: 's', prevResponseId: 'r' } as const;

  expect(sentByClient(buildClientError(fault, AT_MS))).toEqual({
    type: 'error',
    status: 'error',
    client_type: 'device',
    client_id: 'd',
    session_id: 's',
    prev_response_id: 'r',
    error: 'boom',
    timestamp: TIMESTAMP,
  });
});

test('a deadline travels with the task and with each command', () => {
  const task = sentByClient(buildConstellationTask({ ...TASK, metadata: { note: 1 }, timeoutSeconds: 30 }, AT_MS));
  const command = sentByServer(buildCommand({ ...ROUND, timeoutSeconds: 12.5 }, AT_MS));

  expect(task.metadata).toEqual({ note: 1, timeout_seconds: 30 });
  expect(timeoutSecondsOf(task)).toBe(30);
  expect(timeoutSecondsOf(command)).toBe(12.5);
});

test('a task and a command without a deadline are those of a stock peer', () => {
  expect(buildConstellationTask(TASK, AT_MS)).not.toHaveProperty('metadata');
  expect(buildCommand(ROUND, AT_MS)).not.toHaveProperty('result');
});

test.each([0, -1, '5', null, true, [5], Number.POSITIVE_INFINITY])('%j is no deadline', (seconds) => {
  const metadata = { timeout_seconds: seconds };

  expect(timeoutSecondsOf({ type: 'task', status: 'continue', client_type: 'device', metadata })).toBeUndefined();
  expect(timeoutSecondsOf({ type: 'command', status: 'continue', result: metadata })).toBeUndefined();
});

test('a confirmation hands out the resume token, and the next registration gives it back', () => {
  const resume = { token: 'f00d', isResumed: true };
  const yes = buildRegistrationConfirmation({ responseId: 'r', extensions: ['resume'], resume }, AT_MS);
  const confirmation = sentByServer(yes);

  expect(confirmation.result).toEqual({ extensions: ['resume'], resume: 'f00d', resumed: true });
  expect(isResumed(confirmation)).toBe(true);
  const token = resumeTokenOf(confirmation);
  const register = buildDeviceRegister({ clientId: 'd', platform: 'linux', resume: token }, AT_MS);
  expect(resumeTokenOf(sentByClient(register))).toBe('f00d');
});

test('a stock client is confirmed with the words of a stock server', () => {
  const confirmation = sentByServer(buildRegistrationConfirmation({ responseId: 'r', extensions: [] }, AT_MS));

  expect(confirmation).toEqual({ type: 'heartbeat', status: 'ok', timestamp: TIMESTAMP, response_id: 'r' });
  expect(isResumed(confirmation)).toBe(false);
  expect(resumeTokenOf(confirmation)).toBeUndefined();
});

test('the end of a task repeats the last lines, and only then has messages', () => {
  const ending = { sessionId: 's', status: 'completed', responseId: 'r' } as const;

  expect(sentByServer(buildTaskEnd({ ...ending, messages: ['last'] }, AT_MS)).messages).toEqual(['last']);
  expect(buildTaskEnd(ending, AT_MS)).not.toHaveProperty('messages');
});

test('a device tells what it offers when it registers and when it is asked', () => {
  const register = sentByClient(buildDeviceRegister({ clientId: 'd', platform: 'linux', manifest: MANIFEST }, AT_MS));
  const metadata = { system_info: { cpu_count: 4 }, ...manifestMembers(MANIFEST) };
  const report = sentByClient(buildDeviceInfoReport({ clientId: 'd', metadata }, AT_MS));

  expect(manifestOf(register.metadata)).toEqual(MANIFEST);
  expect(manifestOf(report.metadata)).toEqual(MANIFEST);
});

test('what has another shape in a manifest counts as absent', () => {
  const metadata = { capabilities: ['a', 1], os_version: 12, tools: [{ tool_key: 'x' }, 'y', ...MANIFEST.tools] };

  expect(manifestOf(metadata)).toEqual({ capabilities: ['a'], tools: MANIFEST.tools });
  expect(manifestOf(undefined)).toEqual({});
});

test('device information from memory says that it is stale', () => {
  expect(isStale({ type: 'device_info_response', status: 'ok', result: { stale: true } })).toBe(true);
  expect(isStale({ type: 'device_info_response', status: 'ok', result: [] })).toBe(false);
  expect(isStale({ type: 'device_info_response', status: 'ok' })).toBe(false);
});
