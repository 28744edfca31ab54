import { expect, test } from 'vitest';
import { agreedTo, aRegisteredDevice, CONFIRMED, command, slowTools } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonObject } from '@/lib/std/json';
import type { DeviceClientOptions } from './device-client-types';

const RESUMABLE = agreedTo(['resume'], { resume: 'token-1', resumed: false });
const RESUMED = agreedTo(['resume'], { resume: 'token-2', resumed: true });

async function aResumableDevice(options: Partial<DeviceClientOptions> = {}, confirmation: JsonObject = RESUMABLE) {
  const device = await aRegisteredDevice(options, confirmation);
  return {
    ...device,
    /** Cuts the connection and lets the server answer the next REGISTER. */
    async comeBack(answer: JsonObject) {
      device.server().transport.terminate();
      await settle();
      await device.clock.advance(1_000);
      const [register] = device.server().heard();
      await device.server().say(answer);
      await settle();
      return register;
    },
    results: () =>
      device
        .server()
        .heard()
        .filter(({ type }) => type === 'command_results'),
  };
}

test('after a cut the device shows the token of the lost connection, and the one after it the next token', async () => {
  const device = await aResumableDevice();
  expect(await device.comeBack(RESUMED)).toMatchObject({ metadata: { resume: 'token-1' } });
  expect(device.states.at(-1)).toMatchObject({ phase: 'registered', isResumed: true });
  expect(await device.comeBack(RESUMED)).toMatchObject({ metadata: { resume: 'token-2' } });
});

test('a command goes on while the connection is gone; asked for again, it answers when it ends, once', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  await device.comeBack(RESUMED);
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  expect(contexts).toHaveLength(1);
  expect(contexts[0]?.cancellation.isCancelled).toBe(false);
  expect(device.results()).toEqual([]);

  finish('slow');
  await settle();
  expect(device.results()).toMatchObject([
    { session_id: 's', prev_response_id: 'r-1', action_results: [{ status: 'success', result: 'slow' }] },
  ]);
});

test('a command that ended meanwhile is answered from the record, and only when it is asked for again', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow', '']));
  await settle();
  device.server().transport.terminate();
  await settle();
  finish('slow');
  await device.comeBack(RESUMED);
  await device.clock.advance(5_000);
  expect(device.results()).toEqual([]);

  await device.server().say(command('s', 'r-1', ['slow', '']));
  await settle();
  expect(device.results()).toMatchObject([
    {
      prev_response_id: 'r-1',
      action_results: [{ result: 'slow' }, { status: 'success', result: 'No action taken.', call_id: 'r-1.1' }],
    },
  ]);
  expect(contexts).toHaveLength(1);
});

test('no call id is ever run twice, in whatever command it comes again', async () => {
  let runs = 0;
  const device = await aResumableDevice({
    execute: async () => {
      runs += 1;
      return { status: 'success', result: runs };
    },
  });
  const action = { tool_name: 'count', tool_type: 'action', call_id: 'c-1' };
  const other = { ...action, call_id: 'c-2' };
  await device.server().say({ ...command('s', 'r-1', []), actions: [action, action] });
  await device.server().say({ ...command('s', 'r-2', []), actions: [action, other] });
  await settle();

  expect(device.results()).toMatchObject([
    { action_results: [{ result: 1 }, { result: 1 }] },
    { action_results: [{ result: 1 }, { result: 2 }] },
  ]);
});

test('failures and what was skipped after them come again as they were', async () => {
  let runs = 0;
  const device = await aResumableDevice({
    execute: () => {
      runs += 1;
      return Promise.reject(new Error('no disk'));
    },
  });
  await device.server().say(command('s', 'r-1', ['save', 'next']));
  await settle();
  const [before] = device.results();
  await device.comeBack(RESUMED);
  await device.server().say(command('s', 'r-1', ['save', 'next']));
  await settle();

  expect(device.results()[0]?.action_results).toEqual(before?.action_results);
  expect(runs).toBe(1);
});

test('a result that is larger than the record is lost with the connection, and says so', async () => {
  const { execute, finish } = slowTools();
  const large: DeviceClientOptions['execute'] = async (action, context) => {
    await execute(action, context);
    return { status: 'success', result: 'x'.repeat(2_000_000) };
  };
  const device = await aResumableDevice({ execute: large });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await settle();
  finish('slow');
  await device.comeBack(RESUMED);
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();

  expect(device.results()).toMatchObject([
    { action_results: [{ status: 'failure', error: expect.stringContaining('lost with the connection') }] },
  ]);
});

test('what followed a lost result keeps its own, and is not called skipped', async () => {
  const device = await aResumableDevice({
    execute: async ({ tool_name }) => ({ status: 'success', result: tool_name === 'big' ? 'x'.repeat(2_000_000) : 1 }),
  });
  await device.server().say(command('s', 'r-1', ['big', 'small']));
  await settle();
  await device.comeBack(RESUMED);
  await device.server().say(command('s', 'r-1', ['big', 'small']));
  await settle();

  expect(device.results()).toMatchObject([
    { action_results: [{ status: 'failure' }, { status: 'success', result: 1 }] },
  ]);
});

test('a server that does not go on with it: what ran is stopped, and the record is forgotten', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  await device.comeBack(RESUMABLE);
  expect(contexts[0]?.cancellation.isCancelled).toBe(true);

  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  finish('slow');
  await settle();
  expect(contexts).toHaveLength(2);
  expect(device.results()).toHaveLength(1);
});

test('[AIP-103] a stock server after one of ours gets nothing of the old connection', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  await device.comeBack(CONFIRMED);
  finish('slow');
  await device.clock.advance(30_000);

  expect(contexts[0]?.cancellation.isCancelled).toBe(true);
  expect(device.results()).toEqual([]);
});

test('after 15 s away the work is given up, and no token is shown any more', async () => {
  const { execute, contexts } = slowTools();
  const device = await aResumableDevice({ execute, reconnection: { minBackoffMs: 20_000 } });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await device.clock.advance(14_999);
  expect(contexts[0]?.cancellation.isCancelled).toBe(false);
  await device.clock.advance(1);
  expect(contexts[0]?.cancellation.isCancelled).toBe(true);

  await device.clock.advance(10_000);
  expect(device.server(1).heard()[0]?.metadata).not.toHaveProperty('resume');
});

test('a server that has been asked to go on is waited for, also beyond the 15 s', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute, reconnection: { minBackoffMs: 14_000, initialBackoffMs: 14_000 } });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await device.clock.advance(20_000);
  expect(device.server().heard()[0]).toMatchObject({ metadata: { resume: 'token-1' } });
  await device.server().say(RESUMED);
  await device.server().say(command('s', 'r-1', ['slow']));
  finish('slow');
  await settle();

  expect(contexts).toHaveLength(1);
  expect(device.results()).toMatchObject([{ prev_response_id: 'r-1', action_results: [{ status: 'success' }] }]);
});

test('a server that refuses after so long gets nothing more', async () => {
  const { execute, contexts } = slowTools();
  const device = await aResumableDevice({ execute, reconnection: { minBackoffMs: 14_000, initialBackoffMs: 14_000 } });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await device.clock.advance(16_000);
  await device.server().say({ type: 'error', status: 'error', error: 'not now' });
  await device.clock.advance(0);

  expect(contexts[0]?.cancellation.isCancelled).toBe(true);
  await device.clock.advance(30_000);
  expect(device.server(2).heard()[0]?.metadata).not.toHaveProperty('resume');
});

test('a goodbye is an end: nothing is kept', async () => {
  const { execute, contexts } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  await device.server().transport.close(1001, 'going away');
  await settle();
  expect(contexts[0]?.cancellation.isCancelled).toBe(true);

  await device.clock.advance(1_000);
  expect(device.server(1).heard()[0]?.metadata).not.toHaveProperty('resume');
});

test('lines that were printed while away come with the next connection, before the results', async () => {
  const { execute, contexts, finish } = slowTools();
  const confirmed = (token: string, resumed: boolean) => agreedTo(['resume', 'log'], { resume: token, resumed });
  const device = await aResumableDevice({ execute }, confirmed('token-1', false));
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await settle();
  contexts[0]?.onOutput('while away');
  await device.comeBack(confirmed('token-2', true));
  await device.server().say(command('s', 'r-1', ['slow']));
  finish('slow');
  await settle();

  expect(device.server().heard()).toMatchObject([
    { type: 'heartbeat', metadata: { messages: ['while away'] } },
    { type: 'command_results', prev_response_id: 'r-1' },
  ]);
});

test('lines that were printed while away do not wait for the command to end', async () => {
  const { execute, contexts } = slowTools();
  const confirmed = (token: string, resumed: boolean) => agreedTo(['resume', 'log'], { resume: token, resumed });
  const device = await aResumableDevice({ execute }, confirmed('token-1', false));
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  device.server().transport.terminate();
  await settle();
  contexts[0]?.onOutput('while away');
  await device.comeBack(confirmed('token-2', true));

  expect(device.server().heard()).toMatchObject([{ type: 'heartbeat', metadata: { messages: ['while away'] } }]);
});

test('a reconnection that is asked for goes on with the work, too', async () => {
  const { execute, contexts, finish } = slowTools();
  const device = await aResumableDevice({ execute });
  await device.server().say(command('s', 'r-1', ['slow']));
  await settle();
  const isBack = device.endpoint.reconnectDevice();
  await settle();
  expect(device.server(1).heard()).toMatchObject([{ metadata: { resume: 'token-1' } }]);
  await device.server(1).say(RESUMED);
  expect(await isBack).toBe(true);
  await device.server(1).say(command('s', 'r-1', ['slow']));
  finish('slow');
  await settle();

  expect(device.server(0).closed?.clean).toBe(false);
  expect(contexts).toHaveLength(1);
  expect(device.results()).toHaveLength(1);
});

test('resume without a token is not agreed', async () => {
  const device = await aRegisteredDevice({}, agreedTo(['resume']));

  expect(device.states.at(-1)).toMatchObject({ extensions: [] });
});
