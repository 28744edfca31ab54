import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { FRAME_BYTES_MAX } from '@/lib/relay-protocol/timing';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import type { Logger } from '@/lib/std/logger';
import type { AllowList } from '@/relay/auth/allow-list';
import type { BrowserSocket } from './browser-socket';
import { ConnectionCounts, type ConnectionLimits } from './connection-counts';
import type { Gateway } from './gateway';
import { answerAndDestroy, refuseUpgrade } from './upgrade-guard';

/** A refused socket that neither reads nor goes away is destroyed after this long. */
const REFUSED_MS_MAX = 5_000;

export type Entrance = {
  /** For the `upgrade` event of the public server. Decides at once: nothing waits half-open. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly connectionCount: number;
  close(): void;
};

type EntrancePorts = {
  readonly gateway: Gateway;
  readonly allowList: AllowList;
  readonly limits: ConnectionLimits;
  readonly logger: Logger;
};

/** The door of `/ws`: looks at the request, counts, and hands the socket to a browser session. */
export function createEntrance({ gateway, allowList, limits, logger }: EntrancePorts): Entrance {
  const counts = new ConnectionCounts(limits);
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    handleProtocols: () => SUBPROTOCOL,
  });
  return {
    handleUpgrade(request, socket, head) {
      // Before anything else: a reset at any later point must find a listener, or it ends the process.
      socket.on('error', () => socket.destroy());
      const refusal = refuseUpgrade(request, allowList);
      const place = refusal ?? counts.take(request.socket.remoteAddress);
      if (typeof place !== 'function') {
        const answer = typeof place === 'string' ? CROWDED[place] : place;
        logger.debug('upgrade-refused', { code: answer.code });
        answerAndDestroy(socket, answer);
        const timer = setTimeout(() => socket.destroy(), REFUSED_MS_MAX);
        socket.once('close', () => clearTimeout(timer));
        return;
      }
      socket.once('close', place);
      server.handleUpgrade(request, socket, head, (webSocket) => connect(webSocket, gateway));
    },
    get connectionCount() {
      return counts.total;
    },
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

const CROWDED = {
  total: { status: 503, code: 'over-capacity', detail: 'Too many connections; try again later.' },
  address: { status: 429, code: 'too-many-connections', detail: 'Too many connections from this address.' },
} as const;

function connect(webSocket: WebSocket, gateway: Gateway): void {
  const session = gateway.accept(toBrowserSocket(webSocket));
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) session.receiveBinary();
    else session.receive(textOf(data));
  });
  webSocket.on('ping', () => session.receiveControlFrame());
  webSocket.on('pong', () => session.receiveControlFrame());
  // A broken frame or a reset: `ws` closes by itself, and `close` follows.
  webSocket.on('error', () => {});
  webSocket.on('close', () => session.closed());
}

function toBrowserSocket(webSocket: WebSocket): BrowserSocket {
  return {
    get bufferedAmount() {
      return webSocket.bufferedAmount;
    },
    send: (text, onHandedOver) => webSocket.send(text, () => onHandedOver()),
    close: (code, reason) => webSocket.close(code, reason.slice(0, 120)),
    terminate: () => webSocket.terminate(),
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : data.toString('utf8');
}
