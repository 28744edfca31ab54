import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Transport } from '@/lib/aip/transport/transport';
import { acceptWebSocket, type KeepAlive } from '@/relay/net/ws-transport';

export type Loopback = {
  readonly url: string;
  /** The server's end of the next connection. */
  accepted(): Promise<Transport>;
  stop(): Promise<void>;
};

/** A WebSocket server on a free port of this machine. */
export async function startLoopback(
  options: { readonly keepAlive?: KeepAlive; readonly onTransport?: (transport: Transport) => void } = {},
): Promise<Loopback> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, path: '/ws', perMessageDeflate: false });
  const ready: Transport[] = [];
  const waiting: ((transport: Transport) => void)[] = [];
  sockets.on('connection', (socket: WebSocket) => {
    const transport = acceptWebSocket(socket, options.keepAlive && { keepAlive: options.keepAlive });
    if (options.onTransport) {
      options.onTransport(transport);
      return;
    }
    const taker = waiting.shift();
    if (taker) taker(transport);
    else ready.push(transport);
  });
  const port = await listen(http);
  return {
    url: `ws://127.0.0.1:${port}/ws`,
    accepted() {
      const transport = ready.shift();
      return transport ? Promise.resolve(transport) : new Promise((resolve) => waiting.push(resolve));
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server.address());
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('Expected a TCP address');
  return address.port;
}
