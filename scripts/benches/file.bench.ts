import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeHasher } from '@/relay/net/node-hash';
import type { PeerAnswer, PeerOrder } from './file-peer';

const MEBIBYTE = 1_048_576;
const FILE_BYTES = 1_024 * MEBIBYTE;
const FILE_CHUNKS = FILE_BYTES / MEBIBYTE;
const MEMORY_GOAL_MIB = 64;
/** What starting left behind has been cleared away by then, and what is measured is the transfer. */
const REST_MS = 1_000;

type Peer = { readonly child: ChildProcess; tell(order: PeerOrder): Promise<PeerAnswer> };

function startPeer(): Peer {
  const child = fork(fileURLToPath(new URL('./file-peer.ts', import.meta.url)), [], { execArgv: ['--import', 'tsx'] });
  return {
    child,
    async tell(order) {
      const settled = new AbortController();
      const { signal } = settled;
      const ended = once(child, 'exit', { signal }).then(() => [{ fault: 'it has ended' }]);
      const answered = once(child, 'message', { signal });
      child.send(order);
      const [answer]: PeerAnswer[] = await Promise.race([answered, ended]);
      settled.abort();
      await Promise.allSettled([answered, ended]);
      if (!answer || answer.fault !== undefined) throw new Error(`A peer could not ${order.kind}: ${answer?.fault}`);
      return answer;
    },
  };
}

/** Nothing in it repeats, so that no disk and no file system can make it less. */
async function writeLargeFile(path: string): Promise<void> {
  const random = createReadStream('/dev/urandom', { end: FILE_BYTES - 1, highWaterMark: MEBIBYTE });
  const handle = await open(path, 'w');
  try {
    for await (const bytes of random) await handle.write(bytes);
  } finally {
    await handle.close();
  }
}

async function sha256Of(path: string): Promise<string> {
  const hasher = createNodeHasher('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: MEBIBYTE })) hasher.update(bytes);
  return hasher.digestHex();
}

type Peers = { readonly sender: Peer; readonly receiver: Peer };

async function transfer({ sender, receiver }: Peers, order: PeerOrder) {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  for (const peer of [sender, receiver]) await peer.tell({ kind: 'idle' });
  const sent = await sender.tell(order);
  const [above = Number.NaN, receiverAbove = Number.NaN] = (
    await Promise.all([sender, receiver].map((peer) => peer.tell({ kind: 'peak' })))
  ).map(({ aboveIdleBytes = Number.NaN }) => aboveIdleBytes / MEBIBYTE);
  const { ms = Number.NaN, chunksSent = Number.NaN, registrations = Number.NaN } = sent;
  return { mibPerSecond: (FILE_BYTES / MEBIBYTE / ms) * 1_000, chunksSent, registrations, above, receiverAbove };
}

/** Checks what has come before anything is said of how fast it was. */
async function assertArrived(received: string, name: string, sha256: string): Promise<void> {
  const files = readdirSync(received).filter((file) => file !== '.partial');
  if (files.length !== 1 || (await sha256Of(join(received, name))) !== sha256) {
    throw new Error(`Expected ${name} alone and whole, got ${files.join(', ')}`);
  }
  if (readdirSync(join(received, '.partial')).length > 0) throw new Error('Expected no part of a file to be left');
  rmSync(join(received, name));
}

const memoryRow = (what: string, value: number) => ({
  name: `File of 1 GiB: ${what} above idle`,
  value,
  unit: 'MiB',
  baseline: MEMORY_GOAL_MIB,
  baselineName: 'the goal',
});

/** From a device to its server, two processes over a real socket: straight through, and cut in the middle. */
export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const path = join(folder, 'large');
  const received = join(folder, 'received');
  const peers = { sender: startPeer(), receiver: startPeer() };
  const { sender, receiver } = peers;
  try {
    await writeLargeFile(path);
    const sha256 = await sha256Of(path);
    const { url = '' } = await receiver.tell({ kind: 'serve', folder: received });
    await sender.tell({ kind: 'connect', url });
    const straight = await transfer(peers, { kind: 'send', path });
    await assertArrived(received, 'large', sha256);
    const resumed = await transfer(peers, { kind: 'send', path, cutAtBytes: FILE_BYTES / 2 });
    await assertArrived(received, 'large', sha256);
    if (resumed.registrations !== 2) throw new Error('Expected the connection to be cut once and to come back');
    const { port = 0 } = await receiver.tell({ kind: 'serve-plain', folder });
    const plain = await transfer(peers, { kind: 'send-plain', path, port });
    const rate = { unit: 'MiB/s', baseline: plain.mibPerSecond, baselineName: 'a bare socket, no checksums' };
    return [
      { name: 'File of 1 GiB: straight through', value: straight.mibPerSecond, ...rate },
      memoryRow('sender', straight.above),
      memoryRow('receiver', straight.receiverAbove),
      { name: 'File of 1 GiB: cut in the middle and resumed', value: resumed.mibPerSecond, ...rate },
      memoryRow('sender, cut and resumed,', resumed.above),
      memoryRow('receiver, cut and resumed,', resumed.receiverAbove),
      {
        name: 'File of 1 GiB: chunks sent again after the cut',
        value: resumed.chunksSent - FILE_CHUNKS,
        unit: 'chunks',
        baseline: FILE_CHUNKS,
        baselineName: 'all chunks',
      },
    ];
  } finally {
    for (const { child } of [sender, receiver]) child.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}
