import { WebSocket as ReconnectingSocket } from 'partysocket';
import type { OpenRelaySocket } from '@/lib/client/socket-port';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import type { TicketAnswer } from './relay-http';

const MAX_DELAY_MS = 10_000;
const MIN_DELAY_MS = 500;
const GROWTH = 1.6;

export type RelaySocketPorts = {
  /** Must end in time and throw nothing but Errors: partysocket waits for ever, or stops for good, otherwise. */
  readonly fetchTicket: () => Promise<TicketAnswer>;
  readonly address: () => string;
  /** In [0, 1); partysocket's own delays are the same for every page, so a restart of the relay would be met by all at once. */
  readonly fraction: () => number;
  /** For places without a global WebSocket. */
  readonly socketClass?: unknown;
};

/** The relay's socket over partysocket, with a fresh ticket for each connection. */
export function createSocketOpener(ports: RelaySocketPorts): OpenRelaySocket {
  return (events) => {
    const minDelayMs = MIN_DELAY_MS + ports.fraction() * 1_500;
    const maxDelayMs = MAX_DELAY_MS + ports.fraction() * 5_000;
    let socket: ReconnectingSocket | undefined;
    let returnTimer: ReturnType<typeof setTimeout> | undefined;
    let isClosed = false;

    function connect(): void {
      let ticket = '';
      const address = async (): Promise<string> => {
        if (socket !== opened || isClosed) throw new Error('This socket is not wanted any more');
        const answer = await ports.fetchTicket();
        if (answer.status === 'signed-out') {
          ifCurrent(events.onSignedOut);
          throw new Error('Signed out');
        }
        ticket = answer.ticket;
        return ports.address();
      };
      const opened = new ReconnectingSocket(address, SUBPROTOCOL, {
        minReconnectionDelay: minDelayMs,
        maxReconnectionDelay: maxDelayMs,
        reconnectionDelayGrowFactor: GROWTH,
        minUptime: 2_000,
        connectionTimeout: 8_000,
        maxEnqueuedMessages: 0,
        ...(ports.socketClass === undefined ? {} : { WebSocket: ports.socketClass }),
      });
      socket = opened;
      function ifCurrent(run: () => void): void {
        if (socket === opened && !isClosed) run();
      }
      function tellWaiting(): void {
        if (!opened.shouldReconnect) return;
        const delayMs = Math.min(maxDelayMs, minDelayMs * GROWTH ** Math.max(0, opened.retryCount - 1));
        events.onWaiting(Date.now() + delayMs);
      }
      // partysocket counts its next try right after these handlers, so the count is read a moment later.
      const tellWaitingSoon = () => queueMicrotask(() => ifCurrent(tellWaiting));
      opened.onopen = () => ifCurrent(() => events.onOpen(ticket));
      opened.onmessage = ({ data }) =>
        ifCurrent(() => events.onMessage(typeof data === 'string' ? data : 'a binary message'));
      opened.onclose = ({ code, reason }) => {
        ifCurrent(() => events.onClose({ code, reason: reason ?? '' }));
        tellWaitingSoon();
      };
      opened.onerror = tellWaitingSoon;
    }

    function drop(): void {
      const old = socket;
      socket = undefined;
      clearTimeout(returnTimer);
      old?.close();
    }

    connect();
    return {
      send: (text) => socket !== undefined && socket.readyState === ReconnectingSocket.OPEN && socket.send(text),
      // A new object each time: `reconnect()` of partysocket does nothing while it waits or asks for an address.
      reconnectNow() {
        if (isClosed) return;
        drop();
        events.onClose({ code: undefined, reason: 'replaced' });
        connect();
      },
      reconnectAfter(delayMs) {
        if (isClosed) return;
        drop();
        events.onWaiting(Date.now() + delayMs);
        returnTimer = setTimeout(connect, delayMs);
      },
      close() {
        isClosed = true;
        drop();
      },
    };
  };
}

/** Where the page came from: `ws` for `http`, `wss` for `https`. */
export function socketAddress(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss:' : 'ws:'}//${host}/ws`;
}
