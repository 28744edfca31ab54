import { expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import { slowTools } from '@/lib/aip/testing/a-device';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceClientEndpoint } from './device-client-endpoint';
import { createDeviceServerEndpoint } from './device-server-endpoint';
import type { Extension } from './extensions';
import type { TaskAgent } from './task-agent';

/** A device and a server of ours, and the task that the device has started: one command after the other. */
async function aTaskUnderWay(extensions: readonly Extension[]) {
  const clock = createFakeClock();
  const ports = { clock, random: createFakeRandom(), logger: silentLogger };
  const results: CommandResult[] = [];
  const outcomes: string[] = [];
  const agent: TaskAgent = {
    async run(session) {
      for (const toolName of ['first', 'second']) {
        results.push(...(await session.execute([{ toolName, parameters: {}, toolType: 'action' }])));
      }
      outcomes.push(session.cancellation.isCancelled ? 'cancelled' : 'completed');
      return { status: 'completed', result: [] };
    },
  };
  const server = createDeviceServerEndpoint({ ...ports, agent });
  const sockets: Transport[] = [];
  const tools = slowTools();
  const device = createDeviceClientEndpoint({
    ...ports,
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => ({}),
    execute: tools.execute,
    extensions,
    reconnection: { initialBackoffMs: 1_000 },
    createTransport() {
      const [near, far] = createMemoryPair();
      sockets.push(near);
      void server.handleWebSocket(far);
      return near;
    },
  });
  await device.start();
  expect(await device.startTask({ request: 'two steps' })).toBe(true);
  await clock.advance(0);
  return { clock, server, device, tools, results, outcomes, cut: () => sockets.at(-1)?.terminate() };
}

test('work goes on over a cut: nothing runs twice, and the task completes on the new connection', async () => {
  const { clock, device, tools, results, outcomes, cut } = await aTaskUnderWay(['resume', 'cancel']);
  tools.finish('first');
  await clock.advance(0);
  cut();
  await clock.advance(0);
  expect(device.isConnected()).toBe(false);
  tools.finish('second');
  await clock.advance(2_000);

  expect(device.isConnected()).toBe(true);
  expect(results.map(({ result }) => result)).toEqual(['first', 'second']);
  expect(outcomes).toEqual(['completed']);
  expect(tools.contexts).toHaveLength(2);
  await device.stop();
});

test('several cuts in one command are survived, too', async () => {
  const { clock, device, tools, results, outcomes, cut } = await aTaskUnderWay(['resume']);
  for (let round = 0; round < 5; round += 1) {
    cut();
    await clock.advance(3_000);
  }
  tools.finish('first');
  await clock.advance(0);
  tools.finish('second');
  await clock.advance(0);

  expect(results.map(({ result }) => result)).toEqual(['first', 'second']);
  expect(outcomes).toEqual(['completed']);
  expect(tools.contexts).toHaveLength(2);
  await device.stop();
});

test('without resume the command is cancelled with its connection, and the device is back for the next task', async () => {
  const { clock, device, tools, cut } = await aTaskUnderWay([]);
  cut();
  await clock.advance(2_000);
  expect(tools.contexts[0]?.cancellation.isCancelled).toBe(true);

  expect(device.isConnected()).toBe(true);
  expect(await device.startTask({ request: 'again' })).toBe(true);
  await clock.advance(0);
  expect(tools.contexts).toHaveLength(2);
  await device.stop();
});

test('a device that is stopped ends its task, and nothing of it runs on', async () => {
  const { clock, server, device, tools } = await aTaskUnderWay(['task_end', 'cancel', 'resume']);
  await device.stop();
  await clock.advance(20_000);

  expect(tools.contexts[0]?.cancellation.isCancelled).toBe(true);
  expect(server.onlineClients()).toEqual([]);
});
