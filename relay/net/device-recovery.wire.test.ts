import { afterEach, expect, test } from 'vitest';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import type { DeviceClientOptions } from '@/lib/aip/endpoints/device-client-types';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
import type { CommandResult } from '@/lib/aip/messages';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from './node-clock';
import { createNodeRandom } from './node-random';
import { createNodeTransport } from './node-socket';
import { startLoopback } from './testing/loopback';

const ports = { clock: createNodeClock(), random: createNodeRandom(), logger: silentLogger };
const cleanUps: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A device that works on a task of its own: two commands of the same size. */
async function aTaskUnderWay(execute: DeviceClientOptions['execute']) {
  const results: CommandResult[] = [];
  const agent: TaskAgent = {
    async run(session) {
      for (const toolName of ['first', 'second']) {
        results.push(...(await session.execute([{ toolName, parameters: {}, toolType: 'action' }])));
      }
      return { status: 'completed', result: [] };
    },
  };
  const server = createDeviceServerEndpoint({ ...ports, agent });
  const loopback = await startLoopback({ onTransport: (transport) => void server.handleWebSocket(transport) });
  cleanUps.push(() => server.close().then(() => loopback.stop()));
  const sockets: Transport[] = [];
  const device = createDeviceClientEndpoint({
    ...ports,
    createTransport() {
      const transport = createNodeTransport({ url: loopback.url });
      sockets.push(transport);
      return transport;
    },
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => ({}),
    execute,
    reconnection: { initialBackoffMs: 10 },
  });
  cleanUps.push(() => device.stop());
  await device.start();
  await device.startTask({ request: 'two steps' });
  return { device, results, sockets };
}

test('a task goes on over cuts of its real socket: each command runs once, and a megabyte of result arrives whole', async () => {
  const text = 'é'.repeat(500_000);
  const runs: string[] = [];
  const { results, sockets } = await aTaskUnderWay(async ({ tool_name }) => {
    runs.push(tool_name);
    sockets.at(-1)?.terminate();
    await new Promise((resolve) => setImmediate(resolve));
    return { status: 'success', result: text };
  });

  await expect.poll(() => results.length, { timeout: 10_000 }).toBe(2);
  expect(runs).toEqual(['first', 'second']);
  expect(sockets.length).toBe(3);
  expect(results.every(({ status, result }) => status === 'success' && result === text)).toBe(true);
});

test('a device that is told to reconnect in the middle of a command takes it along', async () => {
  let finish: (() => void) | undefined;
  const { device, results, sockets } = await aTaskUnderWay(
    () =>
      new Promise((resolve) => {
        finish = () => resolve({ status: 'success', result: 'done' });
      }),
  );
  await expect.poll(() => finish).toBeDefined();
  expect(await device.reconnectDevice()).toBe(true);
  finish?.();
  await expect.poll(() => results).toMatchObject([{ status: 'success', result: 'done' }]);
  expect(sockets).toHaveLength(2);
});
