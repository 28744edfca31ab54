import { type Frame, type Transport, type TransportClosed, TransportError } from './transport';

/** Two ends of one connection in memory; for tests and for peers in one process. */
export function createMemoryPair(): readonly [Transport, Transport] {
  const left = createEnd();
  const right = createEnd();
  left.connectTo(right);
  right.connectTo(left);
  return [left.transport, right.transport];
}

type End = {
  readonly transport: Transport;
  connectTo(peer: End): void;
  deliver(frame: Frame): void;
  finish(closed: TransportClosed): void;
};

function createEnd(): End {
  const unread: Frame[] = [];
  const listeners = new Set<(closed: TransportClosed) => void>();
  let peer: End | undefined;
  let closed: TransportClosed | undefined;
  let waiting: ((item: Frame | TransportClosed) => void) | undefined;

  function handOut(item: Frame | TransportClosed) {
    const reader = waiting;
    waiting = undefined;
    reader?.(item);
  }

  function endBoth(ended: TransportClosed) {
    end.finish(ended);
    peer?.finish(ended);
  }

  const end: End = {
    connectTo(other) {
      peer = other;
    },
    deliver(frame) {
      if (closed) return;
      if (waiting) handOut(frame);
      else unread.push(frame);
    },
    finish(ended) {
      if (closed) return;
      closed = ended;
      if (unread.length === 0) handOut(ended);
      for (const listener of listeners) listener(ended);
      listeners.clear();
    },
    transport: {
      get state() {
        return closed ? 'closed' : 'open';
      },
      bufferedBytes: 0,
      async send(frame) {
        if (closed) throw new TransportError(`Cannot send: the connection ended with code ${closed.code}`);
        peer?.deliver(frame);
      },
      async receive() {
        const frame = unread.shift();
        if (frame) return frame;
        if (closed) return closed;
        if (waiting) throw new Error('Expected one reader at a time; await the first receive()');
        return new Promise((resolve) => {
          waiting = resolve;
        });
      },
      async close(code, reason) {
        endBoth({ kind: 'closed', code, reason, clean: true });
      },
      terminate() {
        endBoth({ kind: 'closed', code: 1006, reason: '', clean: false });
      },
      onClosed(listener) {
        if (closed) {
          listener(closed);
          return () => {};
        }
        const entry = (ended: TransportClosed) => listener(ended);
        listeners.add(entry);
        return () => listeners.delete(entry);
      },
    },
  };
  return end;
}
