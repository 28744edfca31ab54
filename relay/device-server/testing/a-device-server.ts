import { connect as connectTcp } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { silentLogger } from '@/lib/std/logger';
import { scriptedAgent } from '@/relay/device-server/agents/scripted-agent';
import { type DeviceServerOptions, openDeviceServer } from '@/relay/device-server/device-server';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';

export const KEY = 'secret-key';

export type Frame = Readonly<Record<string, unknown>>;

/** A client on a real socket that says only what a test lets it say. */
export type Peer = {
  /** What came after the confirmation. */
  readonly frames: Frame[];
  readonly socket: WebSocket;
  /** The code with which the connection has ended or will end. */
  readonly closed: Promise<number>;
  say(frame: object): void;
  /** Settles with the first frame of a type, past or to come. */
  next(type: string): Promise<Frame>;
};

export type ADeviceServer = Awaited<ReturnType<typeof aDeviceServer>>;

/** The whole device server on a free port of this machine. */
export async function aDeviceServer(options: Partial<DeviceServerOptions> = {}) {
  const server = await openDeviceServer({
    host: '127.0.0.1',
    port: 0,
    apiKey: KEY,
    agent: scriptedAgent,
    clock: createNodeClock(),
    random: createNodeRandom(),
    logger: silentLogger,
    ...options,
  });
  const { port } = server;
  const peers: Peer[] = [];
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } });

  async function register(clientId: string, role: 'device' | 'constellation', socketOptions?: ClientOptions) {
    const peer = toPeer(new WebSocket(`ws://127.0.0.1:${port}/ws?token=${KEY}`, socketOptions));
    peers.push(peer);
    await new Promise((resolve, reject) => peer.socket.once('open', resolve).once('error', reject));
    const metadata = { platform: 'linux' };
    peer.say({ type: 'register', status: 'ok', client_type: role, client_id: clientId, metadata });
    await peer.next('heartbeat');
    peer.frames.length = 0;
    return peer;
  }

  return {
    port,
    server,
    register,
    /** With the right key, unless the headers say otherwise. */
    call,
    dispatch: (body: unknown) => call('/api/dispatch', { method: 'POST', body: JSON.stringify(body) }),
    /** Sends bytes as they are and collects what comes until the other side closes. */
    raw: (bytes: string | Buffer) => exchange(port, bytes),
    /** The status that an upgrade of a target gets. */
    async statusOf(target: string, headers: readonly string[] = []) {
      return statusIn(await exchange(port, upgradeOf(target, headers)));
    },
    async close() {
      for (const { socket } of peers) socket.terminate();
      await server.close();
    },
  };
}

export function upgradeOf(target: string, headers: readonly string[] = []): string {
  const lines = [
    `GET ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export function statusIn(answer: string): number {
  return Number(answer.split(' ')[1]);
}

function toPeer(socket: WebSocket): Peer {
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => {}); // followed by `close`, which is what tests wait for
  return {
    frames,
    socket,
    closed,
    say: (frame) => socket.send(JSON.stringify(frame)),
    next(type) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = frames.find((frame) => frame.type === type);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void closed.then((code) => reject(new Error(`Expected a ${type}, got the end of the connection (${code})`)));
        look();
      });
    },
  };
}

/** An upgrade that succeeds is cut off after its answer, since nobody speaks WebSocket here. */
function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.startsWith('HTTP/1.1 101')) socket.destroy();
    });
    socket.on('error', () => {}); // a server may cut off what it refuses
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}
