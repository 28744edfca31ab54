import type { RawData, WebSocket } from 'ws';
import { STOCK_SIZES, STOCK_SOCKETS } from '@/lib/aip/resilience/timer-defaults';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import { createInbox } from '@/lib/aip/transport/inbox';
import {
  ConnectError,
  ConnectionError,
  type FrameData,
  type Transport,
  type TransportState,
} from '@/lib/aip/transport/transport';
import { errorCode } from '@/lib/std/error-code';

/** How a socket watches its peer: a ping each interval, and the time that an answer may take. */
export type KeepAlive = { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };

/** What the stock implementation has for each of its endpoints. */
export const CONSTELLATION_KEEP_ALIVE: KeepAlive = STOCK_SOCKETS.constellationEndpoint;
export const DEVICE_CLIENT_KEEP_ALIVE: KeepAlive = STOCK_SOCKETS.deviceClientEndpoint;
export const DEVICE_SERVER_KEEP_ALIVE: KeepAlive = STOCK_SOCKETS.deviceServer;

export type WsTransportOptions = {
  readonly keepAlive: KeepAlive;
  /** How long a peer may take to answer a goodbye, 10 s by default. */
  readonly closeTimeoutMs?: number;
};

/** The stock peers allow no more either way; operators may ask for less. */
export const MESSAGE_BYTES_MAX = STOCK_SIZES.messageBytesMax;
const CLOSE_TIMEOUT_MS = STOCK_SOCKETS.library.closeTimeoutMs;

/** More than this lies unread only while a peer is being held back. */
const UNREAD_FRAMES_MAX = 4;
const UNREAD_BYTES_MAX = 1_048_576;
/** A close frame has 125 bytes, two of them for the code. */
const REASON_BYTES_MAX = 123;

const OPEN = 1;

/** A WebSocket that a server of `ws` has just accepted; call it in the same turn, or the first frames are lost. */
export function acceptWebSocket(
  socket: WebSocket,
  options: WsTransportOptions = { keepAlive: DEVICE_SERVER_KEEP_ALIVE },
): Transport {
  return createWsTransport(options, { socket });
}

/** A WebSocket that `dial` opens when the transport is connected. @param dial - rejects with a ConnectError */
export function createDialledTransport(
  options: WsTransportOptions,
  dial: (cancellation: Cancellation | undefined) => Promise<WebSocket>,
): Transport {
  return createWsTransport(options, { dial });
}

type Origin =
  | { readonly socket: WebSocket; readonly dial?: never }
  | { readonly socket?: never; readonly dial: (cancellation: Cancellation | undefined) => Promise<WebSocket> };

function createWsTransport(options: WsTransportOptions, origin: Origin): Transport {
  const { keepAlive, closeTimeoutMs = CLOSE_TIMEOUT_MS } = options;
  const inbox = createInbox(() => {
    if (inbox.unreadFrames === 0 && !inbox.closed) socket?.resume();
  });
  let socket: WebSocket | undefined;
  let isClosing = false;
  let dialling: 'not yet' | 'under way' | 'failed' = 'not yet';
  if (origin.socket) serve(origin.socket);

  function serve(open: WebSocket) {
    socket = open;
    let isTooLarge = false;
    const stopKeepAlive = keepWatch(open, keepAlive);
    open.on('message', (data, isBinary) => {
      if (isClosing) return;
      inbox.push(toFrame(data, isBinary));
      if (inbox.unreadFrames >= UNREAD_FRAMES_MAX || inbox.unreadBytes > UNREAD_BYTES_MAX) open.pause();
    });
    // Every error of an open socket is followed by `close`, which is where the reader learns of it.
    open.on('error', (error) => {
      isTooLarge ||= errorCode(error) === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    });
    open.on('close', (code, reason) => {
      stopKeepAlive();
      if (isTooLarge) inbox.end({ code: 1009, reason: 'message too large', clean: false });
      else inbox.end({ code, reason: reason.toString('utf8'), clean: code !== 1006 });
    });
    open.resume();
  }

  function state(): TransportState {
    if (inbox.closed) return 'disconnected';
    if (socket) return socket.readyState === OPEN ? 'connected' : 'disconnecting';
    if (dialling === 'under way') return 'connecting';
    return dialling === 'failed' ? 'error' : 'disconnected';
  }

  return {
    get state() {
      return state();
    },
    get bufferedBytes() {
      return socket?.bufferedAmount ?? 0;
    },
    async connect(cancellation) {
      if (state() === 'connected') return;
      if (!origin.dial || dialling !== 'not yet') {
        throw new ConnectError('failed', `A transport connects once and this one is ${state()}; make a new one`);
      }
      dialling = 'under way';
      try {
        serve(await origin.dial(cancellation));
      } catch (cause) {
        dialling = 'failed';
        throw cause;
      }
    },
    send(data) {
      return new Promise((resolve, reject) => {
        if (!socket || socket.readyState !== OPEN) {
          reject(new ConnectionError(`Cannot send: the connection is ${state()}`, { closed: inbox.closed }));
          return;
        }
        socket.send(data, { binary: typeof data !== 'string' }, (cause) => {
          if (cause) reject(new ConnectionError('Cannot send: the connection ended', { cause, closed: inbox.closed }));
          else resolve();
        });
      });
    },
    receive: inbox.receive,
    receiveBinary: inbox.receiveBinary,
    receiveAuto: inbox.receiveAuto,
    async close(code = 1000, reason = '') {
      const open = socket;
      if (!open || inbox.closed) return;
      isClosing = true;
      const timer = setTimeout(() => open.terminate(), closeTimeoutMs);
      open.resume(); // a held-back socket would not see the peer's answer
      open.close(code, shortened(reason));
      await inbox.waitClosed();
      clearTimeout(timer);
    },
    terminate() {
      socket?.terminate();
    },
    waitClosed: inbox.waitClosed,
  };
}

function toFrame(data: RawData, isBinary: boolean): FrameData {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  return isBinary ? bytes : bytes.toString('utf8');
}

function shortened(reason: string): string {
  const bytes = Buffer.from(reason.toWellFormed(), 'utf8');
  if (bytes.byteLength <= REASON_BYTES_MAX) return bytes.toString('utf8');
  return bytes
    .subarray(0, REASON_BYTES_MAX)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}

/**
 * Pings, and cuts a peer that answers nothing. Beats are counted, not time: a machine that slept or stalled must not
 * take its own absence for its peers'. A socket that we hold back ourselves is not blamed either.
 */
function keepWatch(socket: WebSocket, { pingIntervalMs, pingTimeoutMs }: KeepAlive): () => void {
  let unanswered = 0;
  const heard = () => {
    unanswered = 0;
  };
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  const isSilent = () => unanswered * pingIntervalMs >= pingTimeoutMs && !socket.isPaused;
  const timer = setInterval(() => {
    if (socket.readyState !== OPEN) return;
    if (isSilent()) {
      // What arrived while this process was busy is read before the verdict.
      setImmediate(() => {
        if (isSilent()) socket.terminate();
      });
      return;
    }
    unanswered = socket.isPaused ? 0 : unanswered + 1;
    socket.ping();
  }, pingIntervalMs);
  return () => clearInterval(timer);
}
