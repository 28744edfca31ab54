import { describe, expect, test } from 'vitest';
import { createFailingTransport } from '@/lib/aip/testing/failing-transport';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { listenOn, type Wire } from '@/lib/aip/testing/wire';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { ConnectError } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceClientEndpoint } from './device-client-endpoint';
import type { DeviceClientOptions, DeviceClientState, ExecuteContext } from './device-client-types';

const CONFIRMED = { type: 'heartbeat', status: 'ok', response_id: 'r' };

function aDevice(options: Partial<DeviceClientOptions> = {}, fraction = 0.5) {
  const clock = createFakeClock();
  const states: DeviceClientState[] = [];
  const servers: Wire[] = [];
  const createTransport = () => {
    const [near, far] = createMemoryPair();
    servers.push(listenOn(far));
    return near;
  };
  let freeGb = 0;
  const endpoint = createDeviceClientEndpoint({
    createTransport,
    clock,
    random: createFakeRandom(fraction),
    logger: silentLogger,
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => {
      freeGb += 1;
      return { platform: 'linux', free_gb: freeGb };
    },
    execute: async ({ tool_name }) => ({ status: 'success', result: tool_name }),
    onState: (state) => states.push(state),
    ...options,
  });
  const { cancellation, cancel } = createCancellation();
  const ended = endpoint.run(cancellation);
  const server = (index = servers.length - 1) => {
    const wire = servers[index];
    if (!wire) throw new Error('Expected the device to have connected');
    return wire;
  };
  return { clock, states, servers, server, endpoint, cancel, ended };
}

async function aRegisteredDevice(options: Partial<DeviceClientOptions> = {}, confirmation: JsonObject = CONFIRMED) {
  const device = aDevice(options);
  await settle();
  await device.server().say(confirmation);
  await settle();
  device.server().heard();
  return device;
}

const COMMAND = { type: 'command', status: 'continue', agent_name: 'LinuxAgent' };

function command(sessionId: string, responseId: string, tools: readonly string[]): JsonObject {
  const actions = tools.map((name, index) => ({ tool_name: name, tool_type: 'action', call_id: `c${index}` }));
  return { ...COMMAND, session_id: sessionId, response_id: responseId, actions };
}

/** Tools that end when the test says so. */
function slowTools() {
  const waiting = new Map<string, () => void>();
  const contexts: ExecuteContext[] = [];
  const execute: DeviceClientOptions['execute'] = (action, context) => {
    contexts.push(context);
    return new Promise((resolve) =>
      waiting.set(action.tool_name, () => resolve({ status: 'success', result: action.tool_name })),
    );
  };
  return { execute, contexts, finish: (name: string) => waiting.get(name)?.() };
}

describe('registration', () => {
  test('[AIP-33] the first frame is a REGISTER that says what the device is', async () => {
    const device = aDevice();
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        type: 'register',
        status: 'ok',
        client_type: 'device',
        client_id: 'dev-1',
        metadata: {
          platform: 'linux',
          registration_time: expect.any(String),
          system_info: { platform: 'linux', free_gb: 1 },
          extensions: ['device_info'],
        },
      },
    ]);
  });

  test('a device that cannot describe itself registers all the same', async () => {
    const failing = aDevice({ systemInfo: () => Promise.reject(new Error('no /proc')) });
    const hanging = aDevice({ systemInfo: () => new Promise(() => {}) });
    await settle();
    await hanging.clock.advance(8_000);

    for (const device of [failing, hanging]) {
      const [register] = device.server().heard();
      expect(register?.type).toBe('register');
      expect(register?.metadata).not.toHaveProperty('system_info');
    }
  });

  test.each([
    ['an error', { type: 'error', status: 'error', error: 'client_id is already registered' }, 'refused'],
    ['a status that is not ok', { type: 'heartbeat', status: 'continue' }, 'refused'],
  ])('[AIP-44][AIP-46] %s is a refusal, after which the device tries again', async (_name, reply, code) => {
    const device = aDevice();
    await settle();
    await device.server().say(reply);
    await settle();

    expect(device.states.at(-1)).toMatchObject({ phase: 'waiting', code });
    await device.clock.advance(500);
    expect(device.servers).toHaveLength(2);
  });

  test('a server that does not answer is given up after the deadline', async () => {
    const device = aDevice();
    await device.clock.advance(30_000);

    expect(device.states.at(-1)).toMatchObject({ phase: 'waiting', code: 'register-timeout' });
    expect(device.server(0).transport.state).toBe('disconnected');
  });
});

describe('coming back', () => {
  test('[AIP-106] waits grow with full jitter up to 60 s, never below 500 ms, and never end', async () => {
    const waits = async (fraction: number) => {
      const createTransport = () => createFailingTransport(new ConnectError('refused', 'nothing there'));
      const device = aDevice({ createTransport }, fraction);
      await device.clock.advance(3_600_000);
      device.cancel();
      return device.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []));
    };

    expect((await waits(0.5)).slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(Math.min(...(await waits(0)))).toBe(500);
    expect(Math.max(...(await waits(0.999)))).toBeLessThanOrEqual(60_000);
    expect((await waits(0.5)).length).toBeGreaterThan(100);
  });

  test('[AIP-107] a confirmed registration, and nothing less, starts the waits anew', async () => {
    const device = aDevice();
    for (const waitMs of [500, 1_000, 2_000]) {
      await settle();
      await device.server().say({ type: 'error', status: 'error' });
      await device.clock.advance(waitMs);
    }
    await device.server().say(CONFIRMED);
    await settle();
    device.server().transport.terminate();
    await settle();

    const waits = device.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []));
    expect(waits).toEqual([500, 1_000, 2_000, 500]);
  });

  test('[AIP-27] a wrong token is named and tried again only once a minute', async () => {
    let attempts = 0;
    const createTransport = () => {
      attempts += 1;
      return createFailingTransport(new ConnectError('unauthorized', 'check the token'));
    };
    const device = aDevice({ createTransport });
    await device.clock.advance(179_000);

    expect(attempts).toBe(3);
    expect(device.states).toContainEqual({
      phase: 'waiting',
      retryInMs: 60_000,
      code: 'unauthorized',
      message: 'check the token',
    });
  });

  test('a failure that nobody foresaw does not keep the device away', async () => {
    const createTransport = () => createFailingTransport(new TypeError('a fault of ours'));
    const device = aDevice({ createTransport });
    await device.clock.advance(10_000);

    expect(device.states.filter(({ phase }) => phase === 'connecting').length).toBeGreaterThan(1);
  });

  test('every new connection registers, and says what holds now', async () => {
    const device = await aRegisteredDevice();
    device.server().transport.terminate();
    await device.clock.advance(1_000);

    expect(device.server(1).heard()).toMatchObject([{ type: 'register', metadata: { system_info: { free_gb: 2 } } }]);
  });

  test('a device that is stopped says goodbye and stays away', async () => {
    const device = await aRegisteredDevice();
    device.cancel();
    await device.ended;

    expect(device.server().closed).toMatchObject({ code: 1000, clean: true });
    expect(device.states.at(-1)).toEqual({ phase: 'stopped' });
    await device.clock.advance(600_000);
    expect(device.servers).toHaveLength(1);
  });

  test('a silent server is left after 75 s', async () => {
    const device = await aRegisteredDevice();
    await device.clock.advance(75_000);

    expect(device.server(0).transport.state).toBe('disconnected');
  });

  test('[AIP-57] it beats as a device at least every 30 s', async () => {
    const device = await aRegisteredDevice();
    await device.clock.advance(60_000);

    expect(
      device
        .server()
        .heard()
        .filter(({ type }) => type === 'heartbeat').length,
    ).toBeGreaterThanOrEqual(2);
  });
});

describe('commands', () => {
  test('[AIP-83] one answer per COMMAND: ids, status, order and call ids come back', async () => {
    const device = await aRegisteredDevice();
    await device.server().say({ ...command('s', 'r-1', ['a', 'b']), status: 'completed' });
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        type: 'command_results',
        status: 'completed',
        client_id: 'dev-1',
        session_id: 's',
        prev_response_id: 'r-1',
        action_results: [
          { status: 'success', result: 'a', call_id: 'c0' },
          { status: 'success', result: 'b', call_id: 'c1' },
        ],
      },
    ]);
  });

  test('[AIP-85] whatever a tool throws is an answer', async () => {
    const device = await aRegisteredDevice({ execute: () => Promise.reject(new Error('no such tool: fly')) });
    await device.server().say(command('s', 'r-1', ['fly', 'land']));
    await settle();

    expect(device.server().heard()).toMatchObject([
      { action_results: [{ status: 'failure', error: 'no such tool: fly' }, { status: 'skipped' }] },
    ]);
  });

  test.each([null, []])('[AIP-87] actions %j are answered with an empty list', async (actions) => {
    const device = await aRegisteredDevice();
    await device.server().say({ ...COMMAND, session_id: 's', response_id: 'r', actions });
    await settle();

    expect(device.server().heard()).toMatchObject([{ type: 'command_results', action_results: [] }]);
  });

  test('[AIP-92] while a tool works, the device reads, beats and answers', async () => {
    const { execute } = slowTools();
    const device = await aRegisteredDevice({ execute });
    await device.server().say(command('s', 'r-1', ['slow']));
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q' });
    await device.clock.advance(25_000);

    expect(
      device
        .server()
        .heard()
        .map(({ type }) => type),
    ).toEqual(['device_info_response', 'heartbeat']);
  });

  test('[AIP-93] sessions are worked on side by side', async () => {
    const { execute, finish } = slowTools();
    const device = await aRegisteredDevice({ execute });
    await device.server().say(command('a', 'r-a', ['first']));
    await device.server().say(command('b', 'r-b', ['second']));
    await settle();
    finish('second');
    await settle();
    finish('first');
    await settle();

    expect(
      device
        .server()
        .heard()
        .map(({ session_id }) => session_id),
    ).toEqual(['b', 'a']);
  });

  test('[AIP-103] results of a lost connection are never told on the next one, and the tool hears of the loss', async () => {
    const { execute, finish, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute });
    await device.server().say(command('s', 'r-1', ['slow', 'next']));
    await settle();
    device.server().transport.terminate();
    await device.clock.advance(1_000);
    await device.server(1).say(CONFIRMED);
    await settle();
    finish('slow');
    await settle();

    expect(contexts.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true]);
    expect(
      device
        .server(1)
        .heard()
        .map(({ type }) => type),
    ).toEqual(['register']);
  });
});

describe('other frames', () => {
  test.each([
    ['with its name', 'nightly', 'nightly'],
    ['with a fresh name when there is none', null, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('[AIP-80] a TASK is answered by a task of its own, %s', async (_name, taskName, expected) => {
    const device = await aRegisteredDevice();
    const task = { type: 'task', status: 'continue', user_request: 'do it', session_id: 'ignored' };
    await device.server().say({ ...task, task_name: taskName });
    await settle();

    const [own] = device.server().heard();
    expect(own).toMatchObject({ type: 'task', request: 'do it', task_name: expected, metadata: { platform: 'linux' } });
    expect(own).not.toHaveProperty('session_id');
  });

  test('[AIP-96][AIP-97] malformed frames, errors and acknowledgements are not answered', async () => {
    const device = await aRegisteredDevice();
    for (const text of ['{', '[]', '{"type":"register","status":"ok"}']) {
      await device.server().transport.send(text);
    }
    await device.server().transport.send(Uint8Array.of(1));
    await device.server().say({ type: 'error', status: 'error', error: 'x' });
    await device.server().say({ type: 'task_end', status: 'completed' });
    await device.server().say(CONFIRMED);
    await device.server().say(command('s', 'r', ['a']));
    await settle();

    expect(
      device
        .server()
        .heard()
        .map(({ type }) => type),
    ).toEqual(['command_results']);
  });

  test('a task can be started from the device while it is registered', async () => {
    const device = aDevice();
    expect(await device.endpoint.startTask({ request: 'x' })).toBe(false);
    await settle();
    await device.server().say(CONFIRMED);
    await settle();

    expect(await device.endpoint.startTask({ request: 'x', taskName: 'mine' })).toBe(true);
    await settle();
    expect(device.server().last).toMatchObject({ type: 'task', request: 'x', task_name: 'mine' });
  });
});

describe('device information', () => {
  const AGREED = { ...CONFIRMED, result: { extensions: ['device_info'] } };

  test('a question is answered with what holds now', async () => {
    const device = await aRegisteredDevice({}, AGREED);
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q-1' });
    await settle();

    expect(device.server().heard()).toMatchObject([
      { type: 'device_info_response', prev_response_id: 'q-1', metadata: { system_info: { free_gb: 2 } } },
    ]);
  });

  test('[AIP-64] without the extension the answer has the stock form', async () => {
    const device = await aRegisteredDevice();
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q-1' });
    await settle();

    expect(device.server().heard()).toMatchObject([{ metadata: { platform: 'linux', free_gb: 2 } }]);
  });

  test('with the extension the device reports every minute, without it never', async () => {
    const speaking = await aRegisteredDevice({}, AGREED);
    const stock = await aRegisteredDevice();
    await speaking.clock.advance(60_000);
    await stock.clock.advance(60_000);

    const reports = (device: typeof stock) =>
      device
        .server()
        .heard()
        .filter(({ type }) => type === 'device_info_response');
    expect(reports(speaking)).toHaveLength(1);
    expect(reports(stock)).toEqual([]);
  });
});
