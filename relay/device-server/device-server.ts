import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { DeviceServerOptions as EndpointOptions } from '@/lib/aip/endpoints/device-server-types';
import { acceptWebSocket, DEVICE_SERVER_KEEP_ALIVE, type KeepAlive, MESSAGE_BYTES_MAX } from '@/relay/net/ws-transport';
import { createKeyCheck, type KeyCheck } from './api-key';
import { createHttpApi } from './http-api';

/** A client whose message is larger than `messageBytesMax` is closed with 1009. */
export type DeviceServerOptions = EndpointOptions & {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly apiKey: string;
  readonly keepAlive?: KeepAlive;
};

export type DeviceServer = {
  readonly port: number;
  /** Ends every session and connection, then the listening. May be called twice. */
  close(): Promise<void>;
};

/** A token of a megabyte is still answered like any other wrong one. */
const HEADER_BYTES_MAX = 1_200_000;

/** Listens for devices and constellations on `/ws` and answers the HTTP API beside it. @throws the system's error */
export async function openDeviceServer(options: DeviceServerOptions): Promise<DeviceServer> {
  const { logger, keepAlive = DEVICE_SERVER_KEEP_ALIVE } = options;
  const endpoint = createDeviceServerEndpoint(options);
  const isKey = createKeyCheck(options.apiKey);
  const api = createHttpApi({ endpoint, isKey, logger });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: options.messageBytesMax ?? MESSAGE_BYTES_MAX,
  });
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, getRequestListener(api.fetch));

  server.on('upgrade', (request, socket, head) => {
    // A peer may cut the connection at any time during the handshake; there is nothing to do about it.
    const onBroken = (error: Error) => logger.debug('handshake-broken', { error: error.message });
    socket.on('error', onBroken);
    const refusal = refusalOf(request, isKey);
    if (refusal !== undefined) {
      logger.info('connection-refused', { status: refusal, from: request.socket.remoteAddress });
      refuseUpgrade(socket, refusal);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', onBroken);
      void endpoint.handleWebSocket(acceptWebSocket(webSocket, { keepAlive }));
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => logger.error('server-error', { error: error.message }));

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await endpoint.close();
    sockets.close();
    server.closeAllConnections();
    await closed;
  }

  return {
    port: portOf(server.address()),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The path first, then the one token that must be there. */
function refusalOf(request: IncomingMessage, isKey: KeyCheck): 403 | 404 | undefined {
  const target = request.url ?? '';
  const base = 'http://device-server';
  // Not every text that HTTP takes as a target is a URL; such a one holds no token.
  if (!target.startsWith('/') || !URL.canParse(target, base)) return 403;
  const { pathname, searchParams } = new URL(target, base);
  if (pathname !== '/ws') return 404;
  const tokens = searchParams.getAll('token');
  return tokens.length === 1 && isKey(tokens[0]) ? undefined : 403;
}

/** Answers and lets the socket go, whether or not the other side ever closes its end. */
function refuseUpgrade(socket: Duplex, status: 403 | 404): void {
  const answer = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(answer, () => socket.destroy());
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error(`Expected an address with a port, got ${String(address)}`);
}
