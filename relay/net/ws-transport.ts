import type { RawData, WebSocket } from 'ws';
import { type Frame, type Transport, type TransportClosed, TransportError } from '@/lib/aip/transport/transport';

export type KeepAlive = { readonly everyMs: number; readonly deadAfterMs: number };

/** The stock peers allow no more either way; operators may ask for less. */
export const MESSAGE_BYTES_MAX = 104_857_600;
export const KEEP_ALIVE_DEFAULT: KeepAlive = { everyMs: 20_000, deadAfterMs: 40_000 };

/** More than this lies unread only while a peer is being held back. */
const UNREAD_FRAMES_MAX = 4;
const UNREAD_BYTES_MAX = 1_048_576;
/** How long a peer may take to answer a goodbye. */
const CLOSE_TIMEOUT_MS = 5_000;
/** A close frame has 125 bytes, two of them for the code. */
const REASON_BYTES_MAX = 123;

const OPEN = 1;

/** An open socket of `ws` as a {@link Transport}, whichever side opened it. */
export function createWsTransport(socket: WebSocket, keepAlive: KeepAlive): Transport {
  const unread: Frame[] = [];
  let unreadBytes = 0;
  let closed: TransportClosed | undefined;
  let isClosing = false;
  let isTooLarge = false;
  let waiting: ((item: Frame | TransportClosed) => void) | undefined;
  const listeners = new Set<(closed: TransportClosed) => void>();

  function handOut(item: Frame | TransportClosed) {
    const reader = waiting;
    waiting = undefined;
    reader?.(item);
  }

  function takeUnread(): Frame | undefined {
    const frame = unread.shift();
    if (!frame) return undefined;
    unreadBytes -= sizeOf(frame);
    if (unread.length === 0 && !closed) socket.resume();
    return frame;
  }

  socket.on('message', (data, isBinary) => {
    if (isClosing || closed) return;
    const frame = toFrame(data, isBinary);
    if (waiting) {
      handOut(frame);
      return;
    }
    unread.push(frame);
    unreadBytes += sizeOf(frame);
    if (unread.length >= UNREAD_FRAMES_MAX || unreadBytes > UNREAD_BYTES_MAX) socket.pause();
  });

  // Every error of an open socket is followed by `close`, which is where the reader learns of it.
  socket.on('error', (error) => {
    isTooLarge ||= 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
  });

  const stopKeepAlive = keepWatch(socket, keepAlive);

  socket.on('close', (code, reason) => {
    stopKeepAlive();
    closed = isTooLarge
      ? { kind: 'closed', code: 1009, reason: 'message too large', clean: false }
      : { kind: 'closed', code, reason: reason.toString('utf8'), clean: code !== 1006 };
    if (unread.length === 0) handOut(closed);
    for (const listener of listeners) listener(closed);
    listeners.clear();
  });

  function onClosed(listener: (ended: TransportClosed) => void): () => void {
    if (closed) {
      listener(closed);
      return () => {};
    }
    const entry = (ended: TransportClosed) => listener(ended);
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  return {
    get state() {
      if (closed) return 'closed';
      return socket.readyState === OPEN ? 'open' : 'closing';
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(frame) {
      return new Promise((resolve, reject) => {
        if (socket.readyState !== OPEN) {
          reject(new TransportError('Cannot send: the connection is closing or closed'));
          return;
        }
        const data = frame.kind === 'text' ? frame.text : frame.bytes;
        socket.send(data, { binary: frame.kind === 'binary' }, (cause) => {
          if (cause) reject(new TransportError('Cannot send: the connection ended', { cause }));
          else resolve();
        });
      });
    },
    async receive() {
      const frame = takeUnread();
      if (frame) return frame;
      if (closed) return closed;
      if (waiting) throw new Error('Expected one reader at a time; await the first receive()');
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    async close(code, reason) {
      if (closed) return;
      isClosing = true;
      const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
      socket.resume(); // a held-back socket would not see the peer's answer
      socket.close(code, shortened(reason));
      await new Promise<void>((resolve) => onClosed(() => resolve()));
      clearTimeout(timer);
    },
    terminate() {
      socket.terminate();
    },
    onClosed,
  };
}

function toFrame(data: RawData, isBinary: boolean): Frame {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  return isBinary ? { kind: 'binary', bytes } : { kind: 'text', text: bytes.toString('utf8') };
}

function sizeOf(frame: Frame): number {
  return frame.kind === 'text' ? frame.text.length : frame.bytes.byteLength;
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
function keepWatch(socket: WebSocket, { everyMs, deadAfterMs }: KeepAlive): () => void {
  let unanswered = 0;
  const heard = () => {
    unanswered = 0;
  };
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  const isSilent = () => (unanswered + 1) * everyMs >= deadAfterMs && !socket.isPaused;
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
  }, everyMs);
  return () => clearInterval(timer);
}
