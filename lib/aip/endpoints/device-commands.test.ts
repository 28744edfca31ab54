import { describe, expect, test } from 'vitest';
import { MessageRefused } from '@/lib/aip/protocol/middleware/middleware';
import {
  aDevice,
  agreedTo,
  aRegisteredDevice,
  COMMAND,
  CONFIRMED,
  command,
  slowTools,
} from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonValue } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import type { DeviceClientOptions } from './device-client-types';

/** What a tool hands out that does not keep its own types. */
function asJson(value: unknown): JsonValue {
  return value as JsonValue;
}

function deep(levels: number): JsonValue {
  let value: JsonValue = 'bottom';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

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
          { status: 'success', result: 'a', call_id: 'r-1.0' },
          { status: 'success', result: 'b', call_id: 'r-1.1' },
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

  test.each([
    [
      'has no tool type',
      [
        { tool_name: 'a', call_id: 'c0' },
        { tool_name: 'b', call_id: 'c1' },
      ],
    ],
    [
      'has a text for its parameters',
      [{ tool_name: 'a', tool_type: 'action', parameters: 'x', call_id: 'c0' }, { call_id: 'c1' }],
    ],
  ])('[AIP-85] a COMMAND whose action %s is answered with one failure for each action', async (_name, actions) => {
    const device = await aRegisteredDevice();
    await device.server().say({ ...COMMAND, session_id: 's', response_id: 'r', actions });
    await settle();

    const failure = (call_id: string) => ({
      status: 'failure',
      error: expect.stringContaining('The command cannot be read: actions[0]'),
      call_id,
    });
    expect(device.server().heard()).toMatchObject([
      {
        type: 'command_results',
        status: 'continue',
        session_id: 's',
        prev_response_id: 'r',
        action_results: [failure('c0'), failure('c1')],
      },
    ]);
  });

  test('[AIP-85] a COMMAND that a middleware lets go no further is answered, too', async () => {
    const guard = {
      name: 'guard',
      incoming(): never {
        throw new MessageRefused('not on Sundays');
      },
    };
    const device = await aRegisteredDevice();
    device.endpoint.protocol?.use(guard);
    await device.server().say(command('s', 'r', ['a']));
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        prev_response_id: 'r',
        action_results: [
          { status: 'failure', error: 'The command was refused: guard: not on Sundays', call_id: 'r.0' },
        ],
      },
    ]);
  });

  test.each([
    ['is no JSON', { count: 1n }, 'The result cannot be sent: it is no JSON'],
    ['nests too deep', deep(300), 'The result nests deeper than a message may; ask for a flatter one'],
  ])('[AIP-85] a result that %s is a failure that says so', async (_name, result, error) => {
    const execute: DeviceClientOptions['execute'] = async () => ({ status: 'success', result: asJson(result) });
    const device = await aRegisteredDevice({ execute });
    await device.server().say(command('s', 'r', ['a']));
    await settle();

    expect(device.server().heard()).toMatchObject([{ action_results: [{ status: 'failure', error, call_id: 'r.0' }] }]);
  });

  test('[AIP-85] results beyond the size of a message become failures, and the connection lives on', async () => {
    const execute: DeviceClientOptions['execute'] = async () => ({ status: 'success', result: 'é'.repeat(40_000) });
    const device = await aRegisteredDevice({ execute, messageBytesMax: 70_000 });
    await device.server().say(command('s', 'r-1', ['a']));
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        action_results: [{ status: 'failure', error: expect.stringContaining('larger than a message may be (70000') }],
      },
    ]);
    expect(device.endpoint.isConnected()).toBe(true);
  });

  test.each([0, false, '', null, [[]], [{}]])('[AIP-86] the payload %j stays what it is', async (result) => {
    const device = await aRegisteredDevice({ execute: async () => ({ status: 'success', result }) });
    const sent: string[] = [];
    device.endpoint.protocol?.use({
      name: 'looker',
      outgoing(message) {
        sent.push(JSON.stringify(message.action_results?.[0]?.result));
        return message;
      },
    });
    await device.server().say(command('s', 'r', ['a']));
    await settle();

    expect(sent).toEqual([JSON.stringify(result)]);
  });

  test('[AIP-84] commands of one session run in order, one at a time', async () => {
    const { execute, finish } = slowTools();
    const order: string[] = [];
    const device = await aRegisteredDevice({
      execute: (action, context) => {
        order.push(`begin ${action.tool_name}`);
        return execute(action, context).finally(() => order.push(`end ${action.tool_name}`));
      },
    });
    await device.server().say(command('s', 'r-1', ['a', 'b']));
    await device.server().say(command('s', 'r-2', ['c']));
    for (const name of ['a', 'b', 'c']) {
      await settle();
      finish(name);
    }
    await settle();

    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
    expect(
      device
        .server()
        .heard()
        .map(({ prev_response_id }) => prev_response_id),
    ).toEqual(['r-1', 'r-2']);
  });

  test('[AIP-88] the status of the COMMAND comes back', async () => {
    const device = await aRegisteredDevice();
    for (const status of ['continue', 'completed', 'failed', 'ok']) {
      await device.server().say({ ...command('s', status, ['a']), status });
    }
    await settle();

    expect(
      device
        .server()
        .heard()
        .map(({ status }) => status),
    ).toEqual(['continue', 'completed', 'failed', 'ok']);
  });

  test('a COMMAND that is read after its connection has ended is not begun', async () => {
    const { execute, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute });
    const { transport } = device.server();
    void transport.send(JSON.stringify(command('s', 'r-1', ['slow'])));
    transport.terminate();
    await settle();

    expect(contexts).toEqual([]);
  });

  test('sessions that never end are forgotten, the oldest first and none that works', async () => {
    let runs = 0;
    const { execute, contexts } = slowTools();
    const device = await aRegisteredDevice(
      {
        execute: (action, context) => {
          runs += 1;
          return action.tool_name === 'slow' ? execute(action, context) : Promise.resolve({ status: 'success' });
        },
      },
      agreedTo(['resume'], { resume: 't' }),
    );
    await device.server().say(command('busy', 'r-busy', ['slow']));
    for (let index = 0; index < 1_000; index += 1) {
      await device.server().say(command(`s-${index}`, `r-${index}`, ['a']));
      if (index % 100 === 0) await settle();
    }
    await settle();
    expect(runs).toBe(1_001);
    // What is remembered is not run again.
    await device.server().say(command('s-999', 'r-999', ['a']));
    await settle();
    expect(runs).toBe(1_001);
    await device.server().say(command('s-0', 'r-0', ['a']));
    await settle();
    expect(runs).toBe(1_002);
    expect(contexts[0]?.cancellation.isCancelled).toBe(false);
  });

  test('commands beyond what may wait are answered with failures, not kept', async () => {
    const { execute } = slowTools();
    const device = await aRegisteredDevice({ execute });
    for (let index = 0; index < 1_001; index += 1) await device.server().say(command('s', `r-${index}`, ['slow']));
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        prev_response_id: 'r-1000',
        action_results: [{ status: 'failure', error: expect.stringContaining('1000 commands') }],
      },
    ]);
  });

  test('a tool that never ends is answered for after the longest time that a tool may take', async () => {
    const device = await aRegisteredDevice({ execute: () => new Promise(() => {}), timing: { toolMs: 10_000 } });
    await device.server().say(command('s', 'r', ['hang', 'next']));
    await device.clock.advance(11_000);

    expect(device.server().heard()).toMatchObject([
      { action_results: [{ status: 'failure', error: 'hang timed out after 10 s' }, { status: 'skipped' }] },
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
  test('[AIP-52] whatever the device says, it says as a device and under its own name', async () => {
    const extensions = ['device_info', 'log', 'task_end'];
    const device = aDevice({
      execute: async (_action, { onOutput }) => {
        onOutput('a line');
        return { status: 'success' };
      },
    });
    await settle();
    await device.server().say(agreedTo(extensions));
    await device.server().say(command('s', 'r', ['a']));
    await device.server().say({ type: 'task', status: 'continue', user_request: 'x' });
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q' });
    await device.clock.advance(25_000);
    await device.endpoint.endTask('s', { status: 'completed' });
    await settle();

    const heard = device.server().heard();
    const types = ['register', 'heartbeat', 'command_results', 'task', 'device_info_response', 'task_end'];
    expect(new Set(heard.map(({ type }) => type))).toEqual(new Set(types));
    for (const message of heard) expect(message).toMatchObject({ client_type: 'device', client_id: 'dev-1' });
  });

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

  test('[AIP-96] JSON in a binary frame is read like text, other bytes are dropped', async () => {
    const device = await aRegisteredDevice();
    const { transport } = device.server();
    await transport.send(Uint8Array.of(0xff, 0xfe));
    await transport.send(new TextEncoder().encode(JSON.stringify(command('s', 'r-1', ['a']))));
    await settle();

    expect(device.server().heard()).toMatchObject([{ type: 'command_results', prev_response_id: 'r-1' }]);
  });

  test('[AIP-96] a message that breaks a rule reaches no handler, and its rule is told to the log', async () => {
    const logged: unknown[] = [];
    const handled: string[] = [];
    const device = await aRegisteredDevice({
      logger: { ...silentLogger, warn: (what, fields) => void logged.push([what, fields?.reason]) },
      onProtocol: ({ on }) => void on('task_end', ({ type }) => void handled.push(type)),
    });
    await device.server().say({ type: 'task_end', status: 'completed' });
    await settle();

    expect(handled).toEqual([]);
    expect(logged).toContainEqual(['server-frame-dropped', expect.stringMatching(/^task-end-names-session: /)]);
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
