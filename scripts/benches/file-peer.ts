import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import { createFileTransfers } from '@/lib/aip/protocol/files/file-transfers';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { openNodeFile } from '@/relay/net/node-file-source';
import { createNodeFileStore } from '@/relay/net/node-file-store';
import { createNodeHasher } from '@/relay/net/node-hash';
import { createNodeRandom } from '@/relay/net/node-random';
import { createNodeTransport } from '@/relay/net/node-socket';
import { listen, startLoopback } from '@/relay/net/testing/loopback';

/** One of the two processes of the file bench; its parent tells it by messages what to do, and is told what came of it. */
export type PeerOrder =
  | { readonly kind: 'serve'; readonly folder: string }
  | { readonly kind: 'connect'; readonly url: string }
  /** `cutAtBytes`: where the sender cuts its own connection. */
  | { readonly kind: 'send'; readonly path: string; readonly cutAtBytes?: number }
  | { readonly kind: 'serve-plain'; readonly folder: string }
  | { readonly kind: 'send-plain'; readonly path: string; readonly port: number }
  /** What the process holds now is what it holds when it has nothing to do. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'peak' };

export type PeerAnswer = {
  readonly url?: string;
  readonly port?: number;
  readonly ms?: number;
  readonly chunksSent?: number;
  readonly registrations?: number;
  /** Resident memory at its highest, above that of the last `idle`. */
  readonly aboveIdleBytes?: number;
  readonly fault?: string;
};

const SAMPLE_MS = 10;
const ports = { clock: createNodeClock(), random: createNodeRandom(), logger: silentLogger };
const common = { ...ports, createHasher: createNodeHasher };

let idleBytes = 0;
let peakBytes = 0;
let deviceFiles = createFileTransfers(common);
let current: Transport | undefined;
let registrations = 0;

function sample(): void {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}

async function serve(folder: string): Promise<PeerAnswer> {
  const files = createFileTransfers({ ...common, store: createNodeFileStore(folder, ports) });
  const server = createDeviceServerEndpoint({ ...ports, agent: standInAgent, files: files.attach });
  const { url } = await startLoopback({ onTransport: (transport) => void server.handleWebSocket(transport) });
  return { url };
}

async function connect(url: string): Promise<PeerAnswer> {
  deviceFiles = createFileTransfers(common);
  const device = createDeviceClientEndpoint({
    ...ports,
    createTransport() {
      current = createNodeTransport({ url });
      return current;
    },
    clientId: 'bench-device',
    platform: 'linux',
    systemInfo: async () => ({}),
    execute: async () => ({ status: 'success' }),
    files: deviceFiles.attach,
    reconnection: { initialBackoffMs: 100 },
    onState({ phase }) {
      if (phase === 'registered') registrations += 1;
    },
  });
  await device.start();
  return {};
}

async function send(path: string, cutAtBytes = Number.POSITIVE_INFINITY): Promise<PeerAnswer> {
  const file = await openNodeFile(path);
  let isCut = false;
  const startMs = performance.now();
  const outcome = await deviceFiles.send(file, {
    onProgress({ sentBytes }) {
      if (isCut || sentBytes < cutAtBytes) return;
      isCut = true;
      current?.terminate();
    },
  });
  const ms = performance.now() - startMs;
  await file.close();
  if (!outcome.ok) throw new Error(outcome.error.message);
  return { ms, chunksSent: outcome.value.chunksSent, registrations };
}

/** The least that it takes: the same bytes through a bare socket into a file, on the disk before word of it goes back. */
async function servePlain(folder: string): Promise<PeerAnswer> {
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const handle = await open(join(folder, 'plain'), 'w');
    await pipeline(socket.iterator({ destroyOnReturn: false }), handle.createWriteStream({ flush: true }));
    socket.end('done');
  });
  return { port: await listen(server) };
}

async function sendPlain(path: string, port: number): Promise<PeerAnswer> {
  const startMs = performance.now();
  const socket = createConnection({ port, host: '127.0.0.1' });
  const answered = text(socket);
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), socket);
  const answer = await answered;
  if (answer !== 'done') throw new Error(`Expected word that the file is there, got ${answer}`);
  return { ms: performance.now() - startMs };
}

function obey(order: PeerOrder): PeerAnswer | Promise<PeerAnswer> {
  switch (order.kind) {
    case 'serve':
      return serve(order.folder);
    case 'connect':
      return connect(order.url);
    case 'send':
      return send(order.path, order.cutAtBytes);
    case 'serve-plain':
      return servePlain(order.folder);
    case 'send-plain':
      return sendPlain(order.path, order.port);
    case 'idle':
      idleBytes = process.memoryUsage.rss();
      peakBytes = idleBytes;
      return {};
    case 'peak':
      return { aboveIdleBytes: peakBytes - idleBytes };
  }
}

setInterval(sample, SAMPLE_MS).unref();
process.on('disconnect', () => process.exit());
process.on('message', async (order: PeerOrder) => {
  const answer = await Promise.resolve(order)
    .then(obey)
    .catch((cause: unknown) => ({ fault: String(cause) }));
  process.send?.(answer);
});
