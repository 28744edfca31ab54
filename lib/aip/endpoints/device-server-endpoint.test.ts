import { describe, expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
import { openWire, type Wire } from '@/lib/aip/testing/wire';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceServerEndpoint } from './device-server-endpoint';
import type { TaskAgent, TaskSession } from './task-agent';

function aServer(agent: TaskAgent = standInAgent) {
  const clock = createFakeClock();
  const server = createDeviceServerEndpoint({ clock, random: createFakeRandom(), logger: silentLogger, agent });
  const open = () => openWire((transport) => void server.handleWebSocket(transport));
  return { clock, server, open };
}

type Opener = { open(): Wire };

async function aDevice({ open }: Opener, id = 'dev-1', metadata: JsonObject = {}) {
  const wire = open();
  await wire.say({
    type: 'register',
    status: 'ok',
    client_id: id,
    metadata: { platform: 'linux', system_info: { device_id: id, free_gb: 1 }, ...metadata },
  });
  await settle();
  return wire;
}

async function aConstellation({ open }: Opener, id = 'con-1', metadata: JsonObject = {}) {
  const wire = open();
  const who = { client_type: 'constellation', client_id: id, target_id: 'dev-1' };
  await wire.say({ type: 'register', status: 'ok', ...who, metadata });
  await settle();
  return wire;
}

const TASK = { type: 'task', status: 'continue', client_type: 'constellation', target_id: 'dev-1' };

function answerTo(command: JsonObject | undefined, actionResults: JsonValue): JsonObject {
  return {
    type: 'command_results',
    status: 'continue',
    session_id: command?.session_id ?? null,
    prev_response_id: command?.response_id ?? null,
    action_results: actionResults,
  };
}

/** An agent that waits until the test lets it end, and remembers its sessions. */
function aPatientAgent() {
  const sessions: TaskSession[] = [];
  const agent: TaskAgent = {
    run(session) {
      sessions.push(session);
      return new Promise(() => {});
    },
  };
  return { agent, sessions };
}

describe('registration', () => {
  test('[AIP-42] a connection that never registers is closed after the deadline', async () => {
    const setup = aServer();
    const wire = setup.open();

    await setup.clock.advance(29_999);
    expect(wire.transport.state).toBe('connected');
    await setup.clock.advance(1);

    expect(wire.transport.state).toBe('disconnected');
  });

  test.each([null, 'oops', 7, []])(
    '[AIP-43] system_info %j counts as absent and leaves no ghost',
    async (systemInfo) => {
      const setup = aServer();
      const first = await aDevice(setup, 'dev-1', { system_info: systemInfo });

      expect(first.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
      await first.transport.close(1000, '');
      await settle();
      expect(setup.server.onlineClients()).toEqual([]);
      expect((await aDevice(setup)).heard()).toMatchObject([{ type: 'heartbeat' }]);
    },
  );

  test('[AIP-40] a peer that vanishes before its confirmation leaves no ghost', async () => {
    const setup = aServer();
    const wire = setup.open();
    const saying = wire.say({ type: 'register', status: 'ok', client_id: 'dev-1' });
    wire.transport.terminate();
    await saying;
    await settle();

    expect(setup.server.onlineClients()).toEqual([]);
    expect((await aDevice(setup)).heard()).toMatchObject([{ type: 'heartbeat' }]);
  });

  test('[AIP-39] of two sockets that register one id at the same time, one wins', async () => {
    const setup = aServer();
    const [one, two] = await Promise.all([aDevice(setup), aDevice(setup)]);
    const types = [...one.heard(), ...two.heard()].map(({ type }) => type).sort();

    expect(types).toEqual(['error', 'heartbeat']);
    expect(setup.server.onlineClients()).toEqual(['dev-1']);
  });

  test('a peer that announces no extensions gets the confirmation of a stock server', async () => {
    const setup = aServer();
    const confirmation = (await aDevice(setup)).heard()[0];

    expect(Object.keys(confirmation ?? {}).sort()).toEqual(['response_id', 'status', 'timestamp', 'type']);
  });

  test('a peer that announces extensions hears which of them the server uses', async () => {
    const setup = aServer();
    const wire = await aDevice(setup, 'dev-1', { extensions: ['device_info', 'teleport'] });

    expect(wire.heard()[0]?.result).toEqual({ extensions: ['device_info'] });
    const other = await aDevice(setup, 'dev-2', { extensions: ['teleport'] });
    expect(other.heard()[0]?.result).toEqual({ extensions: [] });
  });
});

describe('identity and heartbeats', () => {
  test('[AIP-51] the heartbeat of a stock constellation, which beats as a device, is answered', async () => {
    const setup = aServer();
    await aDevice(setup);
    const constellation = await aConstellation(setup);
    constellation.heard();

    await constellation.say({ type: 'heartbeat', status: 'ok', client_id: 'con-1' });
    await settle();

    expect(constellation.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
  });

  test('[AIP-97] an error of a client is never answered', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    device.heard();

    await device.say({ type: 'error', status: 'error', error: 'x' });
    await device.say({ type: 'error', status: 'error', client_type: 'constellation', client_id: 'somebody' });
    await settle();

    expect(device.heard()).toEqual([]);
  });
});

describe('tasks', () => {
  test.each([null, '', '   \n'])('[AIP-67] the request %j is refused', async (request) => {
    const setup = aServer();
    await aDevice(setup);
    const constellation = await aConstellation(setup);
    constellation.heard();

    await constellation.say({ ...TASK, session_id: 's', request });
    await settle();

    expect(constellation.heard()).toMatchObject([{ type: 'error', status: 'error' }]);
  });

  test.each(['windows', 'linux', 'mobile', 'macos', 'darwin'])(
    'a device of platform %s is driven',
    async (platform) => {
      const setup = aServer();
      await aDevice(setup, 'dev-1', { platform });
      const constellation = await aConstellation(setup);
      constellation.heard();

      await constellation.say({ ...TASK, session_id: 's', request: 'one-round' });
      await settle();

      expect(constellation.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok', session_id: 's' }]);
    },
  );

  test('[AIP-79] a platform that the agent cannot drive is refused, and no session is left behind', async () => {
    const setup = aServer();
    await aDevice(setup, 'dev-1', { platform: 'amiga' });
    const constellation = await aConstellation(setup);
    constellation.heard();

    for (const attempt of [1, 2]) {
      await constellation.say({ ...TASK, session_id: 'same', request: 'one-round' });
      await settle();
      const [refusal] = constellation.heard();
      expect([attempt, refusal?.type]).toEqual([attempt, 'error']);
      expect(refusal?.error).toContain('not supported on amiga');
    }
  });

  test('[AIP-72] a session id that is in use is refused, and the running task goes on', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 's', request: 'one-round' });
    await settle();
    constellation.heard();

    await constellation.say({ ...TASK, session_id: 's', request: 'no-rounds' });
    await settle();
    expect(constellation.heard()).toMatchObject([{ type: 'error' }]);
    await device.say(answerTo(device.last, [{ status: 'success' }]));
    await settle();

    expect(constellation.heard()).toMatchObject([{ type: 'task_end', status: 'completed', session_id: 's' }]);
  });

  test('[AIP-73] after the end the session id is free and late results change nothing', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 's', request: 'one-round' });
    await settle();
    const command = device.last;
    await device.say(answerTo(command, [{ status: 'success' }]));
    await device.say(answerTo(command, [{ status: 'failure' }]));
    await settle();

    const ends = constellation.heard().filter(({ type }) => type === 'task_end');
    expect(ends).toMatchObject([{ status: 'completed' }]);
    expect(device.heard().filter(({ type }) => type === 'task_end')).toHaveLength(1);
    await constellation.say({ ...TASK, session_id: 's', request: 'no-rounds' });
    await settle();
    expect(constellation.heard().map(({ type }) => type)).toEqual(['heartbeat', 'task_end']);
  });

  test('a result that nests too deep ends the task failed instead of not at all', async () => {
    let result: JsonValue = 0;
    for (let level = 0; level < 300; level += 1) result = [result];
    const setup = aServer({ run: async () => ({ status: 'completed', result }) });
    await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 's', request: 'x' });
    await settle();

    const end = constellation.last;
    expect(end).toMatchObject({ type: 'task_end', status: 'failed', session_id: 's' });
    expect(end?.error).toContain('levels of nesting');
  });
});

describe('commands', () => {
  test('[AIP-91] a device that does not answer in time is answered for', async () => {
    const setup = aServer();
    await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 's', request: 'one-round' });
    await setup.clock.advance(6_000_000);

    expect(constellation.last).toMatchObject({
      type: 'task_end',
      status: 'completed',
      result: [{ request: 'one-round', result: ['failure'] }],
    });
  });

  test.each([
    ['null', null, ['failure']],
    ['an empty list', [], ['failure']],
    ['a list that is too long', [{ status: 'success' }, { status: 'success' }], ['success']],
  ])('[AIP-90] action_results: %s', async (_name, results, expected) => {
    const setup = aServer();
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 's', request: 'one-round' });
    await settle();
    await device.say(answerTo(device.last, results));
    await settle();

    expect(constellation.last?.result).toEqual([{ request: 'one-round', result: expected }]);
  });

  test('[AIP-89] results for unknown sessions create nothing, however many come', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    device.heard();
    for (let index = 0; index < 1_000; index += 1) {
      await device.say({ ...answerTo(undefined, []), session_id: `guess-${index}`, prev_response_id: 'r' });
    }
    await settle();

    expect(device.heard()).toEqual([]);
    await device.say({ type: 'heartbeat', status: 'ok' });
    await settle();
    expect(device.heard()).toMatchObject([{ type: 'heartbeat' }]);
  });

  test('sessions on one device do not wait for each other', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 'a', request: 'one-round' });
    await constellation.say({ ...TASK, session_id: 'b', request: 'one-round' });
    await settle();
    const [, commandA, commandB] = device.heard();

    await device.say(answerTo(commandB, [{ status: 'success' }]));
    await settle();
    expect(constellation.last).toMatchObject({ type: 'task_end', session_id: 'b' });
    await device.say(answerTo(commandA, [{ status: 'success' }]));
    await settle();
    expect(constellation.last).toMatchObject({ type: 'task_end', session_id: 'a' });
  });
});

describe('losses', () => {
  test('[AIP-100] when the requester is gone, the agent learns of it and nobody gets a TASK_END', async () => {
    const { agent, sessions } = aPatientAgent();
    const setup = aServer(agent);
    const device = await aDevice(setup);
    const leaving = await aConstellation(setup, 'con-1');
    const staying = await aConstellation(setup, 'con-2');
    await leaving.say({ ...TASK, session_id: 'a', request: 'x' });
    await staying.say({ ...TASK, session_id: 'b', request: 'x' });
    await settle();
    device.heard();

    leaving.transport.terminate();
    await settle();

    expect(sessions.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true, false]);
    expect(device.heard()).toEqual([]);
    const late = await sessions[0]?.execute([{ toolName: 't', parameters: {}, toolType: 'action' }]);
    expect(late).toMatchObject([{ status: 'failure' }]);
    expect(device.heard()).toEqual([]);
  });

  test('[AIP-101] when the device is gone, every waiting requester hears it, and its own sessions end', async () => {
    const { agent, sessions } = aPatientAgent();
    const setup = aServer(agent);
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup);
    await constellation.say({ ...TASK, session_id: 'a', request: 'x' });
    await device.say({ type: 'task', status: 'continue', request: 'x', session_id: 'own' });
    await settle();

    device.transport.terminate();
    await settle();

    expect(constellation.last).toMatchObject({ type: 'task_end', status: 'failed', session_id: 'a' });
    expect(sessions.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true, true]);
    expect(setup.server.onlineClients()).toEqual(['con-1']);
  });

  test('closing the server ends every connection', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    const stranger = setup.open();

    await setup.server.close();

    expect([device.transport.state, stranger.transport.state]).toEqual(['disconnected', 'disconnected']);
  });
});

describe('device information', () => {
  const QUESTION = {
    type: 'device_info_request',
    status: 'ok',
    client_type: 'constellation',
    target_id: 'dev-1',
    request_id: 'q-1',
  };
  const EXTENDED = { extensions: ['device_info'] };

  test('a stock constellation gets what was registered; the device is never asked', async () => {
    const setup = aServer();
    const device = await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup);
    device.heard();
    await constellation.say(QUESTION);
    await settle();

    expect(constellation.last).toMatchObject({ response_id: 'q-1', result: { device_id: 'dev-1', free_gb: 1 } });
    expect(constellation.last?.result).not.toHaveProperty('stale');
    expect(device.heard()).toEqual([]);
  });

  test('with the extension on both sides the device is asked and its answer is passed on and kept', async () => {
    const setup = aServer();
    const device = await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup, 'con-1', EXTENDED);
    await constellation.say(QUESTION);
    await settle();
    expect(device.last).toMatchObject({ type: 'device_info_request', status: 'ok' });

    await device.say({
      type: 'device_info_response',
      status: 'ok',
      prev_response_id: device.last?.response_id ?? null,
      metadata: { system_info: { device_id: 'dev-1', free_gb: 2 } },
    });
    await settle();

    expect(constellation.last).toMatchObject({ response_id: 'q-1', result: { free_gb: 2 } });
    expect(constellation.last?.result).not.toHaveProperty('stale');
    const stock = await aConstellation(setup, 'con-2');
    await stock.say(QUESTION);
    await settle();
    expect(stock.last?.result).toMatchObject({ free_gb: 2 });
  });

  test('a device that is silent for ten seconds is answered for from memory, marked stale', async () => {
    const setup = aServer();
    await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup, 'con-1', EXTENDED);
    constellation.heard();
    await constellation.say(QUESTION);
    await setup.clock.advance(9_999);
    expect(constellation.heard()).toEqual([]);
    await setup.clock.advance(1);

    expect(constellation.last?.result).toEqual({ device_id: 'dev-1', free_gb: 1, stale: true });
  });

  test('a stock device is not asked; its registered information is marked stale', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    const constellation = await aConstellation(setup, 'con-1', EXTENDED);
    device.heard();
    await constellation.say(QUESTION);
    await settle();

    expect(constellation.last?.result).toMatchObject({ free_gb: 1, stale: true });
    expect(device.heard()).toEqual([]);
  });

  test('while the device thinks, the asker is served', async () => {
    const setup = aServer();
    await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup, 'con-1', EXTENDED);
    await constellation.say(QUESTION);
    await constellation.say({ type: 'heartbeat', status: 'ok', client_type: 'constellation' });
    await settle();

    expect(constellation.last).toMatchObject({ type: 'heartbeat' });
  });

  test('a device that leaves while it is asked is unknown at once', async () => {
    const setup = aServer();
    const device = await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup, 'con-1', EXTENDED);
    await constellation.say(QUESTION);
    await settle();
    device.transport.terminate();
    await settle();

    expect(constellation.last).toMatchObject({ response_id: 'q-1', status: 'ok' });
    expect(constellation.last?.result).toHaveProperty('error');
  });

  test('what a device says unasked is kept, but not more often than every five seconds', async () => {
    const setup = aServer();
    const device = await aDevice(setup, 'dev-1', EXTENDED);
    const constellation = await aConstellation(setup);
    const push = (freeGb: number) =>
      device.say({ type: 'device_info_response', status: 'ok', metadata: { system_info: { free_gb: freeGb } } });
    const known = async () => {
      await constellation.say(QUESTION);
      await settle();
      return constellation.last?.result;
    };

    await push(2);
    await push(3);
    expect(await known()).toEqual({ free_gb: 2 });
    await setup.clock.advance(5_000);
    await push(4);
    expect(await known()).toEqual({ free_gb: 4 });
  });
});

describe('the HTTP side', () => {
  test('[AIP-110] dispatch checks request, client, name and presence in this order', async () => {
    const setup = aServer();
    await aDevice(setup);
    await aConstellation(setup);
    const codeOf = async (clientId: string, request: string, taskName?: string) => {
      const order = { clientId, request, ...(taskName !== undefined && { taskName }) };
      const dispatched = await setup.server.dispatch(order);
      return dispatched.ok ? 'ok' : dispatched.error.code;
    };

    expect(await codeOf('', '', '..')).toBe('empty-request');
    expect(await codeOf('', 'x', '..')).toBe('empty-client-id');
    expect(await codeOf('nobody', 'x', '../x')).toBe('invalid-task-name');
    expect(await codeOf('nobody', 'x')).toBe('client-offline');
    expect(await codeOf('con-1', 'x')).toBe('not-a-device');
    expect(await codeOf('dev-1', 'x')).toBe('ok');
  });

  test('[AIP-112] dispatch sends the device a TASK, whose own TASK then counts', async () => {
    const setup = aServer();
    const device = await aDevice(setup);
    await setup.server.dispatch({ clientId: 'dev-1', request: 'no-rounds', taskName: 'nightly' });
    await settle();

    expect(device.last).toMatchObject({
      type: 'task',
      status: 'continue',
      user_request: 'no-rounds',
      task_name: 'nightly',
    });
    expect(setup.server.taskResult('nightly')).toEqual({ status: 'pending' });
    await device.say({ type: 'task', status: 'continue', request: 'no-rounds', task_name: 'nightly' });
    await settle();
    expect(setup.server.taskResult('nightly')).toEqual({ status: 'done', result: [] });
    expect(setup.server.taskResult('unknown')).toEqual({ status: 'pending' });
  });
});

test('an outcome that is no JSON after all ends its task failed and leaves the server alone', async () => {
  const agent: TaskAgent = {
    run: async ({ request }) => ({ status: 'completed', result: request === 'bad' ? notJson() : [] }),
  };
  const setup = aServer(agent);
  await aDevice(setup);
  const constellation = await aConstellation(setup);
  for (const [sessionId, request] of [
    ['a', 'bad'],
    ['b', 'good'],
  ]) {
    await constellation.say({ ...TASK, session_id: sessionId ?? '', request: request ?? '' });
    await settle();
  }

  expect(constellation.heard().filter(({ type }) => type === 'task_end')).toMatchObject([
    { session_id: 'a', status: 'failed' },
    { session_id: 'b', status: 'completed' },
  ]);
});

/** What a careless agent, written without types, might return. */
function notJson(): JsonValue {
  return { size: 10n } as unknown as JsonValue;
}
