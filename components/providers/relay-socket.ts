import { WebSocket as ReconnectingSocket } from 'partysocket';
import type { OpenRelaySocket } from '@/lib/client/socket-port';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import { fetchTicket } from './relay-http';

const MAX_DELAY_MS = 10_000;
const MIN_DELAY_MS = 500;
const GROWTH = 1.6;

/**
 * The relay's socket in a browser: partysocket, with a fresh ticket for each connection and delays that differ from page to
 * page, since partysocket has no jitter of its own.
 */
export const openRelaySocket: OpenRelaySocket = (events) => {
  const minDelayMs = MIN_DELAY_MS + Math.random() * 1_500;
  const maxDelayMs = MAX_DELAY_MS + Math.random() * 5_000;
  let socket: ReconnectingSocket | undefined;
  let returnTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function connect(): void {
    let ticket = '';
    // partysocket waits for ever for an address that does not settle and stops at one that is refused with no Error, so
    // `fetchTicket` has a deadline and throws Errors only.
    const address = async (): Promise<string> => {
      if (socket !== opened || isClosed) throw new Error('This socket is not wanted any more');
      const answer = await fetchTicket();
      if (answer.status === 'signed-out') {
        if (socket === opened && !isClosed) events.onSignedOut();
        throw new Error('Signed out');
      }
      ticket = answer.ticket;
      return socketAddress();
    };
    const opened = new ReconnectingSocket(address, SUBPROTOCOL, {
      minReconnectionDelay: minDelayMs,
      maxReconnectionDelay: maxDelayMs,
      reconnectionDelayGrowFactor: GROWTH,
      minUptime: 2_000,
      connectionTimeout: 8_000,
      maxEnqueuedMessages: 0,
    });
    socket = opened;
    const ifCurrent = (run: () => void) => {
      if (socket === opened && !isClosed) run();
    };
    // partysocket begins to wait right after these handlers, so its number of tries is read a moment later.
    const tellWaiting = () =>
      queueMicrotask(() =>
        ifCurrent(() => {
          if (!opened.shouldReconnect) return;
          const delayMs = Math.min(maxDelayMs, minDelayMs * GROWTH ** Math.max(0, opened.retryCount - 1));
          events.onWaiting(Date.now() + delayMs);
        }),
      );
    opened.onopen = () => ifCurrent(() => events.onOpen(ticket));
    opened.onmessage = (event) =>
      ifCurrent(() => events.onMessage(typeof event.data === 'string' ? event.data : 'binary message'));
    opened.onclose = (event) =>
      ifCurrent(() => {
        events.onClose({ code: event.code, reason: event.reason ?? '' });
        tellWaiting();
      });
    opened.onerror = tellWaiting;
  }

  /** `reconnect()` of partysocket does nothing while it waits or asks for an address, so a new one is made. */
  function replace(): void {
    const old = socket;
    socket = undefined;
    clearTimeout(returnTimer);
    old?.close();
    if (!isClosed) connect();
  }

  connect();
  return {
    send: (text) => socket !== undefined && socket.readyState === ReconnectingSocket.OPEN && socket.send(text),
    reconnectNow() {
      events.onClose({ code: undefined, reason: 'replaced' });
      replace();
    },
    reconnectAfter(delayMs) {
      const old = socket;
      socket = undefined;
      old?.close();
      clearTimeout(returnTimer);
      events.onWaiting(Date.now() + delayMs);
      returnTimer = setTimeout(replace, delayMs);
    },
    close() {
      isClosed = true;
      clearTimeout(returnTimer);
      socket?.close();
    },
  };
};

function socketAddress(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss:' : 'ws:'}//${host}/ws`;
}
