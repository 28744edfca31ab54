import { describe, expect, test } from 'vitest';
import { aDevice, agreedTo, aRegisteredDevice, command, slowTools } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonObject } from '@/lib/std/json';
import type { DeviceClientOptions } from './device-client-types';

const ALL = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'];

function withTimeout(message: JsonObject, seconds: number): JsonObject {
  return { ...message, result: { timeout_seconds: seconds } };
}

/** Prints what the action's parameters say, then is done. */
const printing: DeviceClientOptions['execute'] = async ({ parameters }, { onOutput }) => {
  const { lines } = parameters ?? {};
  if (Array.isArray(lines)) for (const line of lines) onOutput(String(line));
  return { status: 'success' };
};

function printCommand(responseId: string, lines: readonly string[]): JsonObject {
  const action = { tool_name: 'print', tool_type: 'action', call_id: responseId, parameters: { lines } };
  return { ...command('s', responseId, []), actions: [action] };
}

test('a stock server never gets a frame or member of an extension', async () => {
  let isToldOfChange: () => void = () => {};
  const device = await aRegisteredDevice({
    execute: async (action, context) => {
      context.onOutput('a line');
      return printing(action, context);
    },
    manifest: async () => ({ capabilities: ['shell'], osVersion: '1', tools: [] }),
    onManifestChanged: (listener) => {
      isToldOfChange = listener;
      return () => {};
    },
  });
  await device.server().say(withTimeout(printCommand('r-1', ['one', 'two']), 0.001));
  await device.server().say({ type: 'task_end', status: 'failed', session_id: 'other' });
  isToldOfChange();
  await device.clock.advance(300_000);
  await device.endpoint.endTask('s', { status: 'completed' });
  await device.endpoint.stop();

  const heard = device.server(0).heard();
  expect(new Set(heard.map(({ type, status }) => `${type}/${status}`))).toEqual(
    new Set(['command_results/continue', 'heartbeat/ok']),
  );
  expect(heard.filter(({ metadata }) => metadata !== undefined)).toEqual([]);
  expect(heard[0]).toMatchObject({ action_results: [{ status: 'success' }] });
});

describe('log', () => {
  test('a line is told while the command runs, and all lines before its results', async () => {
    const { execute, finish, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['log']));
    await device.server().say(command('s', 'r-1', ['slow']));
    await settle();
    contexts[0]?.onOutput('first');
    await settle();
    expect(device.server().heard()).toMatchObject([
      { type: 'heartbeat', status: 'continue', client_id: 'dev-1', session_id: 's', metadata: { messages: ['first'] } },
    ]);

    contexts[0]?.onOutput('second');
    finish('slow');
    await settle();
    expect(device.server().heard()).toMatchObject([
      { type: 'heartbeat', metadata: { messages: ['second'] } },
      { type: 'command_results', prev_response_id: 'r-1' },
    ]);
  });

  test('what is printed after the session has ended is dropped', async () => {
    const { execute, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['log', 'cancel']));
    await device.server().say(command('s', 'r-1', ['slow']));
    await device.server().say({ type: 'task_end', status: 'failed', session_id: 's' });
    await settle();
    contexts[0]?.onOutput('too late');
    await device.clock.advance(1_000);

    expect(device.server().heard()).toEqual([]);
  });
});

describe('cancel', () => {
  test('TASK_END stops the commands of that session and of no other, and their results are dropped', async () => {
    const { execute, contexts, finish } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['cancel']));
    await device.server().say(command('a', 'r-a', ['one', 'two']));
    await device.server().say(command('b', 'r-b', ['other']));
    await settle();
    await device.server().say({ type: 'task_end', status: 'failed', session_id: 'a' });
    await settle();

    expect(contexts.map(({ sessionId, cancellation }) => [sessionId, cancellation.isCancelled])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    finish('one');
    finish('other');
    await settle();
    expect(device.server().heard()).toMatchObject([{ type: 'command_results', session_id: 'b' }]);
    expect(contexts).toHaveLength(2);
  });

  test('a session id that comes again after its end begins anew', async () => {
    const { execute, finish } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['cancel', 'resume'], { resume: 't' }));
    await device.server().say(command('a', 'r-1', ['stuck']));
    await device.server().say({ type: 'task_end', status: 'failed', session_id: 'a' });
    await device.server().say(command('a', 'r-1', ['again']));
    await settle();
    finish('again');
    await settle();

    expect(device.server().heard()).toMatchObject([{ action_results: [{ status: 'success', result: 'again' }] }]);
  });

  test('without agreement TASK_END stops nothing: the answer still goes out', async () => {
    const { execute, finish, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute });
    await device.server().say(command('s', 'r-1', ['slow']));
    await device.server().say({ type: 'task_end', status: 'completed', session_id: 's' });
    await settle();
    expect(contexts[0]?.cancellation.isCancelled).toBe(false);
    finish('slow');
    await settle();

    expect(device.server().heard()).toMatchObject([{ type: 'command_results', prev_response_id: 'r-1' }]);
  });
});

describe('task_end', () => {
  test('the device ends a session that it works on: lines first, no results after it', async () => {
    const { execute, finish, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['task_end', 'log']));
    await device.server().say(command('s', 'r-1', ['slow']));
    await settle();
    contexts[0]?.onOutput('last words');

    expect(await device.endpoint.endTask('s', { status: 'completed', result: { rows: 0 } })).toMatchObject({
      ok: true,
    });
    finish('slow');
    await settle();
    expect(device.server().heard()).toMatchObject([
      { type: 'heartbeat', metadata: { messages: ['last words'] } },
      { type: 'task_end', status: 'completed', client_id: 'dev-1', session_id: 's', metadata: { result: { rows: 0 } } },
    ]);
    expect(contexts[0]?.cancellation.isCancelled).toBe(true);
  });

  test('a session that it does not know, and a server that did not agree, are told apart', async () => {
    const agreed = await aRegisteredDevice({}, agreedTo(['task_end']));
    expect(await agreed.endpoint.endTask('s', { status: 'failed' })).toMatchObject({
      error: { code: 'unknown-session' },
    });
    const stock = await aRegisteredDevice();
    await stock.server().say(command('s', 'r', ['a']));
    await settle();
    expect(await stock.endpoint.endTask('s', { status: 'failed' })).toMatchObject({ error: { code: 'not-agreed' } });
    expect(stock.server().heard()).toMatchObject([{ type: 'command_results' }]);
  });

  test('a device that is stopped says so for its live sessions before it closes', async () => {
    const { execute } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['task_end', 'cancel']));
    for (const id of ['done', 'a', 'b']) await device.server().say(command(id, `r-${id}`, ['slow']));
    await device.server().say({ type: 'task_end', status: 'completed', session_id: 'done' });
    await settle();
    await device.endpoint.stop();

    const end = { type: 'task_end', status: 'failed', error: 'The device is stopping' };
    expect(device.server().heard()).toMatchObject([
      { ...end, session_id: 'a' },
      { ...end, session_id: 'b' },
    ]);
    expect(device.server().closed).toMatchObject({ code: 1000 });
  });
});

describe('deadline', () => {
  test('the seconds of a COMMAND are the limit of all of it', async () => {
    const { execute, contexts, finish } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['deadline']));
    await device.server().say(withTimeout(command('s', 'r-1', ['first', 'second', 'third']), 5));
    await device.clock.advance(3_000);
    finish('first');
    await device.clock.advance(3_000);

    expect(contexts.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 2_000]);
    expect(contexts[1]?.cancellation.isCancelled).toBe(true);
    expect(device.server().heard()).toMatchObject([
      {
        prev_response_id: 'r-1',
        action_results: [
          { status: 'success', result: 'first' },
          { status: 'failure', error: 'second timed out after 5 s', call_id: 'r-1.1' },
          { status: 'skipped' },
        ],
      },
    ]);
  });

  test('a COMMAND whose time is over before its turn is not begun', async () => {
    const { execute, contexts, finish } = slowTools();
    const device = await aRegisteredDevice({ execute }, agreedTo(['deadline']));
    await device.server().say(command('s', 'r-1', ['long']));
    await device.server().say(withTimeout(command('s', 'r-2', ['late']), 1));
    await device.clock.advance(2_000);
    finish('long');
    await settle();

    expect(contexts).toHaveLength(1);
    expect(device.server().heard()).toMatchObject([
      { prev_response_id: 'r-1' },
      { action_results: [{ status: 'failure', error: 'late timed out after 1 s' }] },
    ]);
  });

  test.each([0, -1, 1e300, 'soon', null])('%j seconds do no harm', async (seconds) => {
    const device = await aRegisteredDevice({}, agreedTo(['deadline']));
    await device.server().say({ ...command('s', 'r', ['a']), result: { timeout_seconds: seconds } });
    await settle();

    expect(device.server().heard()).toMatchObject([{ action_results: [{ status: 'success' }] }]);
  });

  test('without agreement the member means nothing', async () => {
    const { execute, contexts } = slowTools();
    const device = await aRegisteredDevice({ execute });
    await device.server().say(withTimeout(command('s', 'r', ['slow']), 1));
    await device.clock.advance(60_000);

    expect(contexts[0]?.cancellation.isCancelled).toBe(false);
    expect(contexts[0]?.timeoutMs).toBe(6_000_000);
  });
});

describe('file', () => {
  function aTaker() {
    const taken: string[] = [];
    const files: NonNullable<DeviceClientOptions['files']> = () => ({
      async take(received) {
        taken.push(received.kind);
        return received.kind === 'binary';
      },
      close: () => void taken.push('close'),
    });
    return { taken, files };
  }

  test('whoever takes files sees each frame first, and what it takes goes no further', async () => {
    const { taken, files } = aTaker();
    const device = await aRegisteredDevice({ files }, agreedTo(['file']));
    const { transport } = device.server();
    await transport.send(new TextEncoder().encode(JSON.stringify(command('s', 'r-1', ['a']))));
    await transport.send(JSON.stringify(command('s', 'r-2', ['a'])));
    await settle();
    await device.endpoint.stop();

    expect(taken).toEqual(['binary', 'message', 'close']);
    expect(device.server().heard()).toMatchObject([{ prev_response_id: 'r-2' }]);
  });

  test('it is announced only with somebody who takes files, and nothing is taken without agreement', async () => {
    const { taken, files } = aTaker();
    const device = aDevice({ files });
    const other = aDevice();
    await settle();
    await device.server().say(agreedTo(['log']));
    await device.server().say(command('s', 'r', ['a']));
    await settle();

    expect(device.server().heard()[0]?.metadata).toMatchObject({ extensions: [...ALL, 'file'] });
    expect(other.server().heard()[0]?.metadata).toMatchObject({ extensions: ALL });
    expect(taken).toEqual([]);
  });
});

test('a server may agree to some extensions; what was not announced is not agreed', async () => {
  const device = await aRegisteredDevice({ extensions: ['log'] }, agreedTo([...ALL, 'teleport']));

  expect(device.states.at(-1)).toEqual({ phase: 'registered', extensions: ['log'], isResumed: false });
});
