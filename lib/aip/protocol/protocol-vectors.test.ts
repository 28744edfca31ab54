import { describe, expect, test } from 'vitest';
import {
  buildAcknowledgement,
  buildCommand,
  buildCommandResults,
  buildConstellationRegister,
  buildConstellationTask,
  buildDeviceInfoRequest,
  buildDeviceInfoResponse,
  buildDeviceRegister,
  buildDeviceTask,
  buildError,
  buildHeartbeat,
  buildTaskAssignment,
  buildTaskEnd,
  type ClientMessage,
  clientMessageSchema,
  type ServerMessage,
  serialiseMessage,
  serverMessageSchema,
} from '@/lib/aip/messages';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createMask } from '@/lib/aip/testing/mask';
import { type VectorCase, vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import { neverCancelled } from '@/lib/aip/transport/cancellation';
import { isJsonObject, type JsonObject } from '@/lib/std/json';
import { constellationVerdict, isRegistered } from './registration';
import { runActions } from './run-actions';
import { isSafeTaskName, sanitiseTaskName } from './task-name';

const AT_MS = Date.UTC(2026, 0, 2);
const SYSTEM_INFO = {
  device_id: 'dev-1',
  platform: 'linux',
  os_version: '#1 SMP',
  cpu_count: 8,
  memory_total_gb: 15.5,
  hostname: 'host-a',
  ip_address: '192.0.2.10',
  supported_features: ['gui', 'cli', 'browser', 'file_system', 'office', 'linux_apps'],
  platform_type: 'computer',
  schema_version: '1.0',
  custom_metadata: {},
};

function named(cases: readonly VectorCase[]) {
  return cases.map((vector) => [vector.name, vector] as const);
}

/** Our builder for each helper of the stock library, called with what the helper was called with. */
function framesOfBuilders(): Record<string, ClientMessage | ServerMessage> {
  const random = createFakeRandom();
  const id = random.uuid();
  return {
    'register_as_device(no metadata)': buildDeviceRegister({ clientId: 'dev-1', platform: 'windows' }, AT_MS),
    'register_as_device(system_info, platform=linux)': buildDeviceRegister(
      { clientId: 'dev-1', platform: 'linux', metadata: { system_info: SYSTEM_INFO, registration_time: 'old' } },
      AT_MS,
    ),
    'register_as_device(metadata.platform wins)': buildDeviceRegister(
      { clientId: 'dev-1', platform: 'linux', metadata: { platform: 'mobile' } },
      AT_MS,
    ),
    register_as_constellation: buildConstellationRegister(
      { clientId: 'con-1', targetId: 'dev-1', metadata: { type: 'x', extra: 1 } },
      AT_MS,
    ),
    send_registration_confirmation: buildAcknowledgement({ responseId: id }, AT_MS),
    send_registration_error: buildError({ error: "Target device 'dev-9' is not connected", responseId: id }, AT_MS),
    'send_heartbeat(constellation id)': buildHeartbeat(
      { clientId: 'run-1@dev-1', clientType: 'device', metadata: { device_id: 'dev-1' } },
      AT_MS,
    ),
    send_heartbeat_ack: buildAcknowledgement({ responseId: id }, AT_MS),
    'send_ack(session)': buildAcknowledgement({ responseId: id, sessionId: 's-1' }, AT_MS),
    send_error: buildError({ error: 'boom', responseId: id }, AT_MS),
    'send_error(response_id)': buildError({ error: 'boom', responseId: 'rid-1' }, AT_MS),
    request_device_info: buildDeviceInfoRequest({ clientId: 'con-1', targetId: 'dev-1', requestId: id }, AT_MS),
    'send_device_info_response(error)': buildDeviceInfoResponse(
      { responseId: 'rid-1', status: 'error', error: 'not collected' },
      AT_MS,
    ),
    'send_task_request(device)': buildDeviceTask(
      { clientId: 'dev-1', taskName: 'nightly', request: 'collect logs', requestId: id, platform: 'linux' },
      AT_MS,
    ),
    'send_task_request(constellation)': buildConstellationTask(
      {
        clientId: 'con-1',
        targetId: 'dev-1',
        sessionId: 's-1',
        taskName: 't',
        request: 'collect logs',
        requestId: id,
      },
      AT_MS,
    ),
    send_task_assignment: buildTaskAssignment(
      { userRequest: 'collect logs', taskName: 'nightly', sessionId: 's-1', responseId: 'r-1' },
      AT_MS,
    ),
    send_commands: buildCommand(
      {
        agentName: 'LinuxAgent',
        actions: [{ tool_name: 'a', tool_type: 'action', call_id: 'c1' }],
        sessionId: 's-1',
        responseId: 'r-1',
      },
      AT_MS,
    ),
    send_command_results: buildCommandResults(
      {
        clientId: 'dev-1',
        requestId: id,
        status: 'continue',
        sessionId: 's-1',
        prevResponseId: 'r-1',
        results: [{ status: 'success', result: 1, call_id: 'c1' }],
      },
      AT_MS,
    ),
    'send_task_result(no client id)': buildCommandResults(
      {
        clientId: 'unknown_client',
        requestId: id,
        status: 'continue',
        sessionId: 's-1',
        prevResponseId: 'r-1',
        results: [],
      },
      AT_MS,
    ),
    'send_task_end(completed)': buildTaskEnd(
      { sessionId: 's-1', status: 'completed', responseId: id, result: [{ request: 'r', result: 'x' }] },
      AT_MS,
    ),
    'send_task_end(failed)': buildTaskEnd({ sessionId: 's-1', status: 'failed', responseId: id, error: 'boom' }, AT_MS),
  };
}

const frameCases = named(await vectorCases('protocol_frames'));
// A stock client also reads JSON in a binary frame; servers send text.
const replyCases = named(
  (await vectorCases('registration_reply')).filter(({ input }) => isJsonObject(input) && input.frame !== 'binary'),
);
const taskNameCases = named(await vectorCases('task_names'));
// The stock device is silent when a tool is unknown; ours answers.
const commandCases = named(
  (await vectorCases('device_client')).filter(
    ({ input, output }) =>
      isJsonObject(input) && input.type === 'command' && Array.isArray(output) && output.length > 0,
  ),
);

describe('the frames of the stock helpers', () => {
  test.each(frameCases)('%s', (name, vector) => {
    const message = framesOfBuilders()[name];
    if (!message) throw new Error(`No builder for ${name}; add it above`);
    const text = serialiseMessage(message);

    expect(text.ok && [createMask()(JSON.parse(text.value))]).toEqual(vector.output);
  });
});

describe('the first reply', () => {
  test.each(replyCases)('%s', (_name, vector) => {
    const input = vector.input;
    const reply = isJsonObject(input) ? serverMessageSchema.safeParse(input.reply) : undefined;

    expect(reply?.success === true && isRegistered(reply.data)).toBe(vector.output);
  });

  test('a constellation takes only a heartbeat for a yes and only an error for a no', () => {
    expect(constellationVerdict({ type: 'heartbeat', status: 'ok' })).toBe('registered');
    expect(constellationVerdict({ type: 'error', status: 'ok' })).toBe('refused');
    expect(constellationVerdict({ type: 'heartbeat', status: 'continue' })).toBe('undecided');
    expect(constellationVerdict({ type: 'task_end', status: 'ok' })).toBe('undecided');
  });
});

describe('task names', () => {
  test.each(taskNameCases)('%s', (_name, vector) => {
    const raw = typeof vector.input === 'string' ? vector.input : '';

    expect(isSafeTaskName(raw)).toBe(vector.accept);
    expect(sanitiseTaskName(raw, 'fb')).toBe(vector.output);
  });
});

describe('what a device makes of a COMMAND', () => {
  test.each(commandCases)('%s', async (_name, vector) => {
    const command = serverMessageSchema.parse(vector.input);

    const results = await runActions(command.actions ?? [], fakeTool, neverCancelled);

    const expected = clientMessageSchema.parse((vector.output as JsonObject[])[0]);
    expect(withoutNullsDeep(results)).toEqual(withoutNullsDeep(expected.action_results));
  });
});

async function fakeTool(command: { tool_name: string; parameters?: JsonObject }) {
  if (command.tool_name === 'fail') return { status: 'failure' as const, error: 'it failed', namespace: 'ns' };
  return { status: 'success' as const, result: command.parameters?.return ?? null, namespace: 'ns' };
}
