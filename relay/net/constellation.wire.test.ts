import { afterEach, expect, test } from 'vitest';
import { createConstellationEndpoint } from '@/lib/aip/endpoints/constellation-endpoint';
import type { ConstellationEvent } from '@/lib/aip/endpoints/constellation-endpoint-types';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
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

/** Sends the request as the name of a tool. */
const agent: TaskAgent = {
  async run({ request, execute }) {
    const [result] = await execute([{ toolName: request, parameters: {}, toolType: 'action' }]);
    const rounds = [{ request, result: result?.result ?? null }];
    if (result?.status === 'success') return { status: 'completed', result: rounds };
    return { status: 'failed', result: rounds, error: result?.error ?? 'no result' };
  },
};

/** A device server on a real socket with one device, whose tool `endless` ends only when it is stopped. */
async function aConstellation() {
  const server = createDeviceServerEndpoint({ ...ports, agent });
  const loopback = await startLoopback({ onTransport: (transport) => void server.handleWebSocket(transport) });
  cleanUps.push(() => server.close().then(() => loopback.stop()));
  const begun: string[] = [];
  const stopped: string[] = [];
  const device = createDeviceClientEndpoint({
    ...ports,
    createTransport: () => createNodeTransport({ url: loopback.url }),
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => ({ platform: 'linux' }),
    execute({ tool_name: tool }, { cancellation }) {
      begun.push(tool);
      return new Promise((resolve) => {
        cancellation.onCancelled(() => stopped.push(tool));
        if (tool !== 'endless') resolve({ status: 'success', result: `é${tool}` });
      });
    },
  });
  cleanUps.push(() => device.stop());
  await device.start();
  const sockets: Transport[] = [];
  const events: ConstellationEvent[] = [];
  const constellation = createConstellationEndpoint({
    ...ports,
    taskName: 'wire',
    createTransport(url) {
      const transport = createNodeTransport({ url });
      sockets.push(transport);
      return transport;
    },
    reconnection: { initialBackoffMs: 10 },
    onEvent: (event) => {
      events.push(event);
    },
  });
  cleanUps.push(() => constellation.close());
  const connected = await constellation.connectToDevice('dev-1', loopback.url);
  expect(connected.ok).toBe(true);
  return { constellation, sockets, events, begun, stopped };
}

test('a real socket is cut in the middle of a task: the task is lost and stopped, the queue goes on', async () => {
  const { constellation, sockets, begun, stopped } = await aConstellation();
  const lost = constellation.sendTaskToDevice('dev-1', { request: 'endless' });
  const next = constellation.sendTaskToDevice('dev-1', { request: 'next' });
  await expect.poll(() => begun).toEqual(['endless']);
  sockets.at(-1)?.terminate();

  expect(await lost).toMatchObject({ status: 'failed', errorType: 'device_disconnection' });
  expect(await next).toMatchObject({ status: 'completed', result: [{ request: 'next', result: 'énext' }] });
  await expect.poll(() => stopped).toEqual(['endless']);
  expect(sockets).toHaveLength(2);
});

test('a task is cancelled over a real socket, which stays', async () => {
  const { constellation, sockets, begun, stopped } = await aConstellation();
  const ended = constellation.sendTaskToDevice('dev-1', { request: 'endless', taskId: 'a' });
  await expect.poll(() => begun).toEqual(['endless']);

  expect(await constellation.cancelTask('dev-1', 'a')).toEqual({ ok: true, value: null });
  expect(await ended).toMatchObject({ status: 'failed', errorType: 'cancelled' });
  await expect.poll(() => stopped).toEqual(['endless']);
  expect(sockets).toHaveLength(1);
});

test('a task that takes too long is stopped by its deadline, on the device as well', async () => {
  const { constellation, stopped } = await aConstellation();
  const ended = constellation.sendTaskToDevice('dev-1', { request: 'endless', timeoutMs: 300 });

  expect(await ended).toMatchObject({ status: 'failed', errorType: 'timeout' });
  await expect.poll(() => stopped).toEqual(['endless']);
  expect(await constellation.sendTaskToDevice('dev-1', { request: 'next' })).toMatchObject({ status: 'completed' });
});

test('an address where nobody listens is a failure with its reason, without its token', async () => {
  const constellation = createConstellationEndpoint({
    ...ports,
    taskName: 'wire',
    createTransport: (url) => createNodeTransport({ url }),
    reconnection: { maxRetries: 1, initialBackoffMs: 1 },
  });
  cleanUps.push(() => constellation.close());
  const closed = await startLoopback();
  await closed.stop();
  const connected = await constellation.connectToDevice('dev-1', `${closed.url}?token=canary`);

  expect(connected).toMatchObject({ ok: false, error: { code: 'connect-failed' } });
  expect(JSON.stringify(connected)).not.toContain('canary');
});
