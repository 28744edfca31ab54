import { createInbox } from './inbox';
import {
  ConnectError,
  ConnectionError,
  type Transport,
  type TransportClosed,
  type TransportFactory,
  type TransportState,
} from './transport';

/** Two open ends of one connection in memory; for tests and for peers in one process. */
export function createMemoryPair(): readonly [Transport, Transport] {
  const left = createEnd();
  const right = createEnd();
  join(left, right);
  return [left.transport, right.transport];
}

/**
 * Transports that connect to somebody in this process.
 *
 * @param accept - takes the far end of each connection, which is open; what it throws refuses the connection
 */
export function createMemoryPort(accept: (far: Transport) => void): TransportFactory {
  return () => {
    const near = createEnd(async () => {
      const far = createEnd();
      accept(far.transport);
      join(near, far);
    });
    return near.transport;
  };
}

type End = {
  readonly transport: Transport;
  open(peer: End): void;
  deliver(frame: string | Uint8Array): void;
  finish(closed: TransportClosed): void;
};

function join(left: End, right: End) {
  left.open(right);
  right.open(left);
}

const CUT: TransportClosed = { code: 1006, reason: '', clean: false };

function createEnd(dial?: () => Promise<void>): End {
  const inbox = createInbox();
  let state: TransportState = 'disconnected';
  let peer: End | undefined;

  function endBoth(closed: TransportClosed) {
    const other = peer;
    end.finish(closed);
    other?.finish(closed);
  }

  const end: End = {
    open(other) {
      peer = other;
      state = 'connected';
    },
    deliver: (frame) => inbox.push(frame),
    finish(closed) {
      if (!peer || inbox.closed) return;
      state = 'disconnected';
      inbox.end(closed);
    },
    transport: {
      get state() {
        return state;
      },
      bufferedBytes: 0,
      async connect(cancellation) {
        if (state === 'connected') return;
        if (!dial || inbox.closed) throw new ConnectError('failed', 'A transport connects once; make a new one');
        if (cancellation?.isCancelled) throw new ConnectError('cancelled', 'The connection is no longer wanted');
        state = 'connecting';
        try {
          await dial();
        } catch (cause) {
          state = 'error';
          throw new ConnectError('refused', 'Nobody took the connection', { cause });
        }
      },
      async send(frame) {
        if (state !== 'connected') {
          throw new ConnectionError(`Cannot send: the connection is ${state}`, { closed: inbox.closed });
        }
        // As every wire does that carries UTF-8.
        peer?.deliver(typeof frame === 'string' ? frame.toWellFormed() : frame);
      },
      receive: inbox.receive,
      receiveBinary: inbox.receiveBinary,
      receiveAuto: inbox.receiveAuto,
      async close(code = 1000, reason = '') {
        endBoth({ code, reason, clean: true });
      },
      terminate: () => endBoth(CUT),
      waitClosed: inbox.waitClosed,
    },
  };
  return end;
}
