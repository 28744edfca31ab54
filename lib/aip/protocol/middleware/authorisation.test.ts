import { expect, test } from 'vitest';
import { aRegisteredDevice, command } from '@/lib/aip/testing/a-device';
import { aPair, giveTask } from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import { createAuthorisationMiddleware, permitTools } from './authorisation';

test('a device runs no tool that it may not be asked for, and its results say why', async () => {
  const ran: string[] = [];
  const { server } = await aRegisteredDevice({
    execute: async ({ tool_name }) => {
      ran.push(tool_name);
      return { status: 'success', result: tool_name };
    },
    middlewares: [createAuthorisationMiddleware({ incoming: permitTools(['look', 'click']) })],
  });
  await server().say(command('s', 'r-1', ['look', 'format_disk']));
  await server().say(command('s', 'r-2', ['look', 'click']));
  await settle();

  const [refused, done] = server().heard();
  expect(refused).toMatchObject({ type: 'command_results', prev_response_id: 'r-1' });
  const results = refused?.action_results;
  expect(results).toMatchObject([
    { status: 'failure', call_id: 'r-1.0' },
    { status: 'failure', call_id: 'r-1.1' },
  ]);
  expect(JSON.stringify(results)).toMatch(/format_disk.* is not allowed here; allowed: look, click/);
  expect(done).toMatchObject({ prev_response_id: 'r-2', action_results: [{ result: 'look' }, { result: 'click' }] });
  expect(ran).toEqual(['look', 'click']);
});

test('a server takes no task that its rule refuses, and says the rule’s reason', async () => {
  const { device, constellation } = await aPair({
    middlewares: [
      createAuthorisationMiddleware({
        incoming: async ({ type, request }) =>
          type === 'task' && request?.includes('production') ? 'Production is closed tonight' : undefined,
      }),
    ],
  });
  await giveTask(constellation, 's-1', { request: 'restart production' });
  expect(constellation.heard()).toMatchObject([{ type: 'error', error: expect.stringContaining('closed tonight') }]);
  expect(device.heard()).toEqual([]);

  await giveTask(constellation, 's-2', { request: 'one-round' });
  expect(device.heard()).toMatchObject([{ type: 'command' }]);
});

test('what we may not ask a device for never leaves', async () => {
  const { device, constellation } = await aPair({
    middlewares: [createAuthorisationMiddleware({ outgoing: permitTools([]) })],
  });
  await giveTask(constellation, 's-1', { request: 'one-round' });

  expect(device.heard().filter(({ type }) => type === 'command')).toEqual([]);
  expect(constellation.last).toMatchObject({ type: 'task_end', result: [{ result: ['failure'] }] });
});
