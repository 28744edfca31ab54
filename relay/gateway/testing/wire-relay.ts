import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Role } from '@/lib/relay-protocol/commands';
import { type DownFrame, downMessageSchema } from '@/lib/relay-protocol/down';
import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import { PROTOCOL_VERSION, SUBPROTOCOL } from '@/lib/relay-protocol/version';
import { silentLogger } from '@/lib/std/logger';
import { createRoutes } from '@/relay/api/routes';
import { createRelayApp } from '@/relay/app';
import { createAllowList } from '@/relay/auth/allow-list';
import { createIdentify } from '@/relay/auth/identify';
import { createSessions } from '@/relay/auth/sessions';
import { createSignInCodes } from '@/relay/auth/sign-in-codes';
import { createTickets } from '@/relay/auth/tickets';
import { createGateway } from '@/relay/gateway/gateway';
import { createPageProxy } from '@/relay/gateway/page-proxy';
import { attachPublicServer } from '@/relay/gateway/public-server';
import { createStaticFiles } from '@/relay/gateway/static-files';
import { createFakeRuntime } from '@/relay/gateway/testing/fake-runtime';
import { createEntrance } from '@/relay/gateway/websocket-entrance';
import { listen } from '@/relay/listen';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';

export const WIRE_TOKEN = 't'.repeat(32);

export type WireOptions = {
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  readonly pages?: { readonly nextOrigin: string; readonly staticDir: string };
};

/** The whole front of the relay on a real port, with a fake writer behind it. */
export async function startWireRelay(options: WireOptions = {}) {
  const clock = createNodeClock();
  const random = createNodeRandom();
  const logger = silentLogger;
  const runtime = createFakeRuntime({ clock, random });
  const { kv, blobs } = runtime.engine;
  const server = createServer();
  const port = await listen(server, '127.0.0.1', 0);
  const allowList = createAllowList({
    host: '127.0.0.1',
    port,
    allowedHosts: [],
    publicOrigin: undefined,
    ownAddresses: [],
  });
  const sessions = createSessions({ kv, clock, random });
  const signInCodes = createSignInCodes({ kv, clock, random });
  const tickets = createTickets({ clock, random });
  const identify = createIdentify({ adminToken: WIRE_TOKEN, sessions, allowList, cookieSecurity: 'plain' });
  const gateway = createGateway({ runtime, sessions, tickets, clock, random, logger });
  const limits = { connectionsMax: 1_000, connectionsPerAddressMax: 1_000, ...options };
  const entrance = createEntrance({ gateway, allowList, limits, logger });
  const app = createRelayApp(
    { identify, logger, random, version: '0.0.0' },
    createRoutes({
      ...{ runtime, kv, blobs, clock, random, requestBytesMax: 1_000_000 },
      ...{ sessions, signInCodes, tickets, allowList, cookieSecurity: 'plain', logger },
    }),
  );
  const proxy = options.pages && createPageProxy({ nextOrigin: options.pages.nextOrigin, random, logger });
  const pages = options.pages && proxy && { proxy, staticFiles: createStaticFiles(options.pages.staticDir) };
  attachPublicServer(server, { app, entrance, allowList, pages, logger });
  const origin = allowList.localOrigin;

  return {
    ...{ port, origin, runtime, sessions, tickets, gateway, entrance },
    ticketOf: (role: Role = 'admin', sessionId: string | null = null) =>
      tickets.issue({ actor: 'operator', role, sessionId }) ?? '',
    /** Sends bytes as they are and collects what comes until the other side closes. */
    raw: (bytes: string) => exchange(port, bytes),
    rawSocket: () => connect(port, '127.0.0.1'),
    browser: (headers: Record<string, string> = {}) =>
      new WirePage(new WebSocket(`ws://127.0.0.1:${port}/ws`, SUBPROTOCOL, { origin, headers })),
    async close() {
      await gateway.close();
      entrance.close();
      proxy?.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type WireRelay = Awaited<ReturnType<typeof startWireRelay>>;

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** A page on a real socket: every message must be of the protocol. */
export class WirePage {
  readonly frames: DownFrame[] = [];
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const message = downMessageSchema.parse(JSON.parse(data.toString()));
      this.frames.push(...(Array.isArray(message) ? message : [message]));
      for (const look of this.#waiting) look();
    });
    this.closed = new Promise((resolve) => {
      socket.on('error', () => resolve(-1));
      socket.on('close', (code) => resolve(code));
    });
  }

  async hello(ticket: string, streams: { stream: StreamName; from: Cursor | null }[] = []): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) {
      await new Promise((resolve, reject) => {
        this.socket.once('open', resolve);
        this.socket.once('error', reject);
      });
    }
    this.say({ type: 'hello', protocolVersion: PROTOCOL_VERSION, ticket, streams });
  }

  say(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Settles with the first frame of a kind, past or to come. */
  next<Type extends DownFrame['type']>(type: Type): Promise<Extract<DownFrame, { type: Type }>> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.frames.find((frame): frame is Extract<DownFrame, { type: Type }> => frame.type === type);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
