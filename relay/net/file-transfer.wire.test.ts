import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createConstellationEndpoint } from '@/lib/aip/endpoints/constellation-endpoint';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { Extension } from '@/lib/aip/endpoints/extensions';
import { createFileTransfers } from '@/lib/aip/protocol/files/file-transfers';
import { receiveFile, sendFile } from '@/lib/aip/protocol/files/stock-file-transfer';
import { aMemoryStore, countingBytes, sourceOf } from '@/lib/aip/testing/memory-files';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from './node-clock';
import { createNodeFileStore } from './node-file-store';
import { createNodeHasher } from './node-hash';
import { createNodeRandom } from './node-random';
import { createNodeTransport } from './node-socket';
import { startLoopback } from './testing/loopback';

const ports = { clock: createNodeClock(), random: createNodeRandom(), logger: silentLogger };
const cleanUps: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Without the listing of every byte that a failed `toEqual` would make. */
const same = (one: Uint8Array | undefined, other: Uint8Array) => one !== undefined && Buffer.compare(one, other) === 0;

function someTransfers() {
  const memory = aMemoryStore();
  const transfers = createFileTransfers({ ...ports, createHasher: createNodeHasher, store: memory.store });
  return { ...memory, ...transfers };
}

async function aServer() {
  const files = someTransfers();
  const server = createDeviceServerEndpoint({ ...ports, agent: standInAgent, files: files.attach });
  const loopback = await startLoopback({ onTransport: (transport) => void server.handleWebSocket(transport) });
  cleanUps.push(() => server.close().then(() => loopback.stop()));
  return { server, files, url: loopback.url };
}

/** A device, and whatever frames its server has sent it. */
async function aDevice(url: string, extensions?: readonly Extension[]) {
  const files = someTransfers();
  const sockets: Transport[] = [];
  const heard: string[] = [];
  let registrations = 0;
  const device = createDeviceClientEndpoint({
    ...ports,
    createTransport() {
      const transport = createNodeTransport({ url });
      sockets.push(transport);
      const { receiveAuto } = transport;
      return Object.assign(transport, {
        async receiveAuto() {
          const frame = await receiveAuto();
          heard.push(typeof frame === 'string' ? frame : `${frame.length} bytes`);
          return frame;
        },
      });
    },
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => ({}),
    execute: async () => ({ status: 'success' }),
    files: files.attach,
    reconnection: { maxRetries: 100, initialBackoffMs: 10 },
    onState: ({ phase }) => {
      if (phase === 'registered') registrations += 1;
    },
    ...(extensions && { extensions }),
  });
  cleanUps.push(() => device.stop());
  await device.start();
  return { files, heard, cut: () => sockets.at(-1)?.terminate(), registrations: () => registrations };
}

/** Both ends of a connection of its own, as files of the stock kind need it. */
async function aSocketPair() {
  const loopback = await startLoopback();
  cleanUps.push(() => loopback.stop());
  const near = createNodeTransport({ url: loopback.url });
  await near.connect();
  const far = await loopback.accepted();
  return { near, far };
}

test('files go up and down beside tasks, and on over the next socket when one is cut', async () => {
  const { server, files, url } = await aServer();
  const device = await aDevice(url);
  const bytes = countingBytes(600_000);
  let hasCut = false;
  const up = device.files.send(sourceOf('up.bin', bytes), {
    chunkBytes: 10_000,
    onProgress({ sentBytes }) {
      if (hasCut || sentBytes < 300_000) return;
      hasCut = true;
      device.cut();
    },
  });
  const outcome = await up;

  expect(device.registrations()).toBe(2);
  expect(outcome).toMatchObject({ ok: true });
  expect(outcome.ok && outcome.value.chunksSent).toBeLessThan(90);
  expect(same(files.files.get('up.bin'), bytes)).toBe(true);

  const down = files.send(sourceOf('down.bin', bytes), { peerId: 'dev-1', chunkBytes: 10_000 });
  await server.dispatch({ clientId: 'dev-1', request: 'no-rounds', taskName: 'beside' });
  expect(await down).toMatchObject({ ok: true, value: { chunksSent: 60 } });
  expect(same(device.files.files.get('down.bin'), bytes)).toBe(true);
  await expect.poll(() => server.taskResult('beside').status).toBe('done');
});

test('a constellation sends to its server, and gets from it', async () => {
  const { server, files, url } = await aServer();
  await aDevice(url);
  const own = someTransfers();
  const constellation = createConstellationEndpoint({
    ...ports,
    taskName: 'files',
    createTransport: (address) => createNodeTransport({ url: address }),
    files: own.attach,
  });
  cleanUps.push(() => constellation.close());
  await constellation.connectToDevice('dev-1', url);
  const bytes = countingBytes(50_000);

  expect(await own.send(sourceOf('a', bytes), { peerId: 'dev-1' })).toMatchObject({ ok: true });
  const peerId = server.onlineClients().find((id) => id !== 'dev-1') ?? '';
  expect(await files.send(sourceOf('b', bytes), { peerId })).toMatchObject({ ok: true });
  expect([files.files.get('a'), own.files.get('b')]).toEqual([bytes, bytes]);
});

test('a peer that did not agree to `file` sees no frame of it', async () => {
  const { server, files, url } = await aServer();
  const device = await aDevice(url, []);
  const source = sourceOf('a', countingBytes(10));

  expect(await files.send(source, { peerId: 'dev-1' })).toMatchObject({ ok: false, error: { code: 'not-connected' } });
  expect(await device.files.send(source)).toMatchObject({ ok: false, error: { code: 'not-connected' } });
  await server.dispatch({ clientId: 'dev-1', request: 'no-rounds', taskName: 'after' });
  await expect.poll(() => server.taskResult('after').status).toBe('done');
  expect(device.heard.filter((frame) => /file_transfer|binary_data|transfer_id|bytes$/.test(frame))).toEqual([]);
});

test('a file of the stock kind arrives in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-files-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const { near, far } = await aSocketPair();
  const options = { ...ports, createHasher: createNodeHasher };
  const bytes = countingBytes(100_000);
  const receiving = receiveFile(far, { ...options, store: createNodeFileStore(folder, ports) });
  await sendFile(near, sourceOf('a', bytes), { ...options, chunkBytes: 1_000 });

  expect(await receiving).toMatchObject({ place: join(folder, 'a'), sizeBytes: 100_000 });
  expect(same(await readFile(join(folder, 'a')), bytes)).toBe(true);
});

test('[AIP-117] a file of the stock kind that is cut in the middle leaves nothing', async () => {
  const memory = aMemoryStore();
  const { near, far } = await aSocketPair();
  const options = { ...ports, createHasher: createNodeHasher };
  const receiving = receiveFile(far, { ...options, store: memory.store });
  const whole = sourceOf('a', countingBytes(100_000));
  const source = {
    ...whole,
    async read(offset: number, lengthBytes: number) {
      if (offset > 50_000) near.terminate();
      return whole.read(offset, lengthBytes);
    },
  };

  await expect(sendFile(near, source, { ...options, chunkBytes: 1_000 })).rejects.toThrow(/connection/);
  await expect(receiving).rejects.toThrow(/connection/);
  expect([memory.files.size, memory.kept.size]).toEqual([0, 0]);
});
