import { decodeUtf8 } from '@/lib/std/utf8';
import { ConnectionError, type FrameData, FrameError, type Transport, type TransportClosed } from './transport';

/** The receiving half of a transport: what has arrived and nobody has read yet, and the end. */
export type Inbox = Pick<Transport, 'receive' | 'receiveBinary' | 'receiveAuto' | 'waitClosed'> & {
  readonly closed: TransportClosed | undefined;
  readonly unreadFrames: number;
  /** Bytes of binary frames and UTF-16 units of text, which is close enough for holding a peer back. */
  readonly unreadBytes: number;
  /** Takes a frame from the peer; dropped after the end. */
  push(frame: FrameData): void;
  /** The first end counts. */
  end(closed: TransportClosed): void;
};

/** @param onTaken - told after a reader took a frame that had been waiting */
export function createInbox(onTaken: () => void = () => {}): Inbox {
  const unread: FrameData[] = [];
  let unreadBytes = 0;
  let closed: TransportClosed | undefined;
  let reader: { resolve(frame: FrameData): void; reject(error: ConnectionError): void } | undefined;
  let tellClosed: (closed: TransportClosed) => void = () => {};
  const ended = new Promise<TransportClosed>((resolve) => {
    tellClosed = resolve;
  });

  async function receiveAuto(): Promise<FrameData> {
    const frame = unread.shift();
    if (frame !== undefined) {
      unreadBytes -= frame.length;
      onTaken();
      return frame;
    }
    if (closed) throw endOf(closed);
    if (reader) throw new Error('Expected one reader at a time; await the first receive');
    return new Promise((resolve, reject) => {
      reader = { resolve, reject };
    });
  }

  return {
    get closed() {
      return closed;
    },
    get unreadFrames() {
      return unread.length;
    },
    get unreadBytes() {
      return unreadBytes;
    },
    push(frame) {
      if (closed) return;
      const waiting = reader;
      reader = undefined;
      if (waiting) {
        waiting.resolve(frame);
        return;
      }
      unread.push(frame);
      unreadBytes += frame.length;
    },
    end(last) {
      if (closed) return;
      closed = last;
      const waiting = reader;
      reader = undefined;
      waiting?.reject(endOf(last));
      tellClosed(last);
    },
    receiveAuto,
    async receive() {
      const frame = await receiveAuto();
      return typeof frame === 'string' ? frame : decodeFrame(frame);
    },
    async receiveBinary() {
      const frame = await receiveAuto();
      if (typeof frame !== 'string') return frame;
      throw new FrameError(`Expected a binary frame, got text of ${frame.length} characters`);
    },
    waitClosed: () => ended,
  };
}

/** @throws FrameError */
export function decodeFrame(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new FrameError(`Expected text, got a binary frame of ${bytes.length} bytes that is no UTF-8`);
}

function endOf(closed: TransportClosed): ConnectionError {
  const reason = closed.reason === '' ? '' : `: ${closed.reason}`;
  return new ConnectionError(`The connection has ended with code ${closed.code}${reason}`, { closed });
}
