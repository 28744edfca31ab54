import type { AipProtocol } from '@/lib/aip/protocol/aip-protocol';
import { createClientProtocol } from '@/lib/aip/protocol/client-protocol';
import type { FileTransfersOptions, ReceivedFile } from '@/lib/aip/protocol/files/file-transfer-types';
import { createFileTransfers } from '@/lib/aip/protocol/files/file-transfers';
import type { AipMessage } from '@/lib/aip/protocol/middleware/middleware';
import { createServerProtocol } from '@/lib/aip/protocol/server-protocol';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { Transport } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createFakeClock } from './fake-clock';
import { createFakeRandom } from './fake-random';
import { aMemoryStore, createToyHasher } from './memory-files';

type Protocol = AipProtocol<never, AipMessage>;

/** One side: its transfers over all connections, and what it has received. */
function aSide(options: Partial<FileTransfersOptions>) {
  const memory = aMemoryStore();
  const received: ReceivedFile[] = [];
  const clock = createFakeClock();
  const transfers = createFileTransfers({
    clock,
    random: createFakeRandom(),
    logger: silentLogger,
    createHasher: createToyHasher,
    store: memory.store,
    onReceived: (file) => void received.push(file),
    ...options,
  });
  /** Reads a connection as the endpoints do. */
  async function serve(protocol: Pick<Protocol, 'receive' | 'dispatch'>): Promise<void> {
    const files = transfers.attach(protocol as Protocol, 'peer');
    for (;;) {
      const frame = await protocol.receive();
      if (frame.kind === 'closed') return files.close();
      if (!(await files.take(frame))) await protocol.dispatch(frame);
    }
  }
  return { transfers, memory, received, clock, serve };
}

/** A device and a server that send each other files, over one connection after another. */
export function aFileLink(
  options: { device?: Partial<FileTransfersOptions>; server?: Partial<FileTransfersOptions> } = {},
) {
  const device = aSide(options.device ?? {});
  const server = aSide(options.server ?? {});
  const ports = { clock: createFakeClock(), random: createFakeRandom(), logger: silentLogger };

  function connect(wrap: (transport: Transport) => Transport = (transport) => transport) {
    const [near, far] = createMemoryPair();
    const client = { clientId: 'peer', clientType: 'device' } as const;
    void device.serve(createClientProtocol({ ...ports, ...client, transport: wrap(near) }));
    void server.serve(createServerProtocol({ ...ports, transport: far }));
    return { near, far };
  }
  return { device, server, connect };
}

/** The server's side of a connection whose other end is a test that says what it likes. */
export function aFileReceiver(options: Partial<FileTransfersOptions> = {}) {
  const server = aSide(options);
  const [near, far] = createMemoryPair();
  const ports = { clock: createFakeClock(), random: createFakeRandom(), logger: silentLogger };
  void server.serve(createServerProtocol({ ...ports, transport: far }));
  const heard: JsonObject[] = [];
  void (async () => {
    for (;;) heard.push(JSON.parse(await near.receive()));
  })().catch(() => {}); // the end of the connection is the end of listening
  return { ...server, transport: near, heard, say: (frame: JsonObject) => near.send(JSON.stringify(frame)) };
}
