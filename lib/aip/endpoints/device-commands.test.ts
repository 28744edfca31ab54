import { describe, expect, test } from 'vitest';
import { aDevice, aRegisteredDevice, COMMAND, CONFIRMED, command, slowTools } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';

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
