import { afterEach, describe, expect, test } from 'vitest';
import { createConstellationConnection } from '@/lib/aip/endpoints/constellation-connection';
import type { ConstellationConnection, LinkSignal } from '@/lib/aip/endpoints/constellation-types';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import type { DeviceClientOptions } from '@/lib/aip/endpoints/device-client-types';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { Extension } from '@/lib/aip/endpoints/extensions';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
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

async function aServer(agent: TaskAgent = standInAgent) {
  const server = createDeviceServerEndpoint({ ...ports, agent });
  const loopback = await startLoopback({ onTransport: (transport) => void server.handleWebSocket(transport) });
  cleanUps.push(() => server.close().then(() => loopback.stop()));
  return { server, url: loopback.url };
}

function aDevice(url: string, options: Partial<DeviceClientOptions> = {}) {
  const sockets: Transport[] = [];
  let freeGb = 0;
  let registrations = 0;
  const endpoint = createDeviceClientEndpoint({
    ...ports,
    createTransport: () => {
      const transport = createNodeTransport({ url });
      sockets.push(transport);
      return transport;
    },
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => {
      freeGb += 1;
      return { free_gb: freeGb };
    },
    execute: async () => ({ status: 'success' }),
    reconnection: { maxRetries: Number.POSITIVE_INFINITY, initialBackoffMs: 10 },
    onState: ({ phase }) => {
      if (phase === 'registered') registrations += 1;
    },
    ...options,
  });
  endpoint.start().catch(() => {}); // that it never gets in is what some tests want
  cleanUps.push(() => endpoint.stop());
  return { cut: () => sockets.at(-1)?.terminate(), registrations: () => registrations };
}

async function aLink(url: string, extensions: readonly Extension[] = ['device_info']) {
  const signals: LinkSignal[] = [];
  const endpoint = createConstellationConnection({
    ...ports,
    createTransport: () => createNodeTransport({ url }),
    clientId: `con-${ports.random.hex(4)}@dev-1`,
    targetId: 'dev-1',
    taskName: 'run',
    extensions,
    onSignal: (signal) => {
      signals.push(signal);
    },
  });
  cleanUps.push(() => endpoint.close(1000, ''));
  return { endpoint, signals };
}

async function anOpenLink(url: string) {
  const link = await aLink(url);
  expect(await link.endpoint.open()).toEqual({ ok: true, value: { extensions: ['device_info'] } });
  return link;
}

const send = (endpoint: ConstellationConnection, sessionId: string, request: string) =>
  endpoint.sendTask({ sessionId, taskName: 't', request });

describe('device, server and constellation over real sockets', () => {
  test('a task runs from the constellation to the device and back', async () => {
    const { server, url } = await aServer();
    const ran: string[] = [];
    aDevice(url, {
      execute: async ({ tool_name }) => {
        ran.push(tool_name);
        return { status: 'success' };
      },
    });
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint, signals } = await anOpenLink(url);

    await send(endpoint, 's-1', 'two-rounds');
    await expect.poll(() => signals.at(-1)?.kind).toBe('task-ended');

    expect(ran).toEqual(['tool_0', 'tool_1']);
    expect(signals.filter(({ kind }) => kind !== 'heard')).toMatchObject([
      { kind: 'task-accepted', sessionId: 's-1' },
      { kind: 'task-ended', sessionId: 's-1', status: 'completed' },
    ]);
  });

  test('device information is what the device says now', async () => {
    const { server, url } = await aServer();
    aDevice(url);
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint } = await anOpenLink(url);

    expect(await endpoint.requestDeviceInfo()).toEqual({ ok: true, info: { free_gb: 2 }, fresh: true });
    expect(await endpoint.requestDeviceInfo()).toEqual({ ok: true, info: { free_gb: 3 }, fresh: true });
  });

  test('[AIP-G6] a device that is cut off in the middle comes back and ends its task; no command runs twice', async () => {
    const { server, url } = await aServer();
    const running: (() => void)[] = [];
    const device = aDevice(url, {
      execute: () => new Promise((resolve) => running.push(() => resolve({ status: 'success' }))),
    });
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint, signals } = await anOpenLink(url);
    await send(endpoint, 's-1', 'one-round');
    await expect.poll(() => running.length).toBe(1);

    device.cut();
    await expect.poll(() => device.registrations()).toBe(2);
    running[0]?.();

    await expect.poll(() => signals.at(-1)).toMatchObject({ kind: 'task-ended', status: 'completed' });
    expect(running).toHaveLength(1);
  });

  test('a line that a command prints is there while the command runs, and again with the end', async () => {
    const { server, url } = await aServer();
    const running: (() => void)[] = [];
    aDevice(url, {
      execute: (_command, { onOutput }) => {
        onOutput('é😀 begun');
        return new Promise((resolve) => running.push(() => resolve({ status: 'success' })));
      },
    });
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint, signals } = await aLink(url, ['log']);
    expect(await endpoint.open()).toEqual({ ok: true, value: { extensions: ['log'] } });
    await send(endpoint, 's-1', 'one-round');

    await expect.poll(() => signals.at(-1)).toEqual({ kind: 'log', sessionId: 's-1', messages: ['é😀 begun'] });
    running[0]?.();
    await expect.poll(() => signals.at(-1)).toMatchObject({ kind: 'task-ended', messages: ['é😀 begun'] });
  });

  test('a device that cannot resume fails its task when it is cut off, and comes back by itself', async () => {
    const { server, url } = await aServer();
    const device = aDevice(url, { execute: () => new Promise(() => {}), extensions: ['device_info'] });
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint, signals } = await anOpenLink(url);
    await send(endpoint, 's-1', 'one-round');
    await expect.poll(() => signals.at(-1)?.kind).toBe('task-accepted');

    device.cut();

    await expect.poll(() => signals.at(-1)).toMatchObject({ kind: 'task-ended', status: 'failed', sessionId: 's-1' });
    await expect.poll(async () => (await endpoint.requestDeviceInfo()).ok).toBe(true);
  });

  test('a target that is not there is refused, and accepted once it is', async () => {
    const { server, url } = await aServer();
    const early = await aLink(url);
    expect(await early.endpoint.open()).toMatchObject({ ok: false, error: { code: 'refused' } });

    aDevice(url);
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    await anOpenLink(url);
  });

  test('a second device of the same name is refused until the first is gone', async () => {
    const { server, url } = await aServer();
    const states: string[] = [];
    const first = aDevice(url, { reconnection: { minBackoffMs: 60_000 } });
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    aDevice(url, { onState: ({ phase }) => states.push(phase) });
    await expect.poll(() => states).toContain('waiting');

    first.cut();

    await expect.poll(() => states).toContain('registered');
  });

  test('five megabytes of result arrive whole', async () => {
    const text = 'é😀"\\\n'.repeat(700_000);
    const { server, url } = await aServer({ run: async () => ({ status: 'completed', result: [text] }) });
    aDevice(url);
    await expect.poll(() => server.onlineClients()).toEqual(['dev-1']);
    const { endpoint, signals } = await anOpenLink(url);

    await send(endpoint, 's-1', 'x');
    await expect.poll(() => signals.at(-1)?.kind, { timeout: 10_000 }).toBe('task-ended');

    const ended = signals.at(-1);
    expect(ended?.kind === 'task-ended' && Array.isArray(ended.result) && ended.result[0] === text).toBe(true);
  });
});
