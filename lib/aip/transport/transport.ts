import type { Cancellation } from './cancellation';

export type Frame =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array };

/** How a connection ended; `clean` when both sides said goodbye. Code 1006 stands for a connection that was cut. */
export type TransportClosed = {
  readonly kind: 'closed';
  readonly code: number;
  readonly reason: string;
  readonly clean: boolean;
};

/**
 * One open connection, read by pulling: a reader that has not asked for the next frame holds the peer back.
 *
 * One reader at a time. After the end `receive` hands out what had arrived before it, then the end, again and again.
 */
export type Transport = {
  readonly state: 'open' | 'closing' | 'closed';
  /** Bytes that were handed over and have not left this machine. */
  readonly bufferedBytes: number;
  /**
   * Resolves when the frame was handed to the socket.
   *
   * @throws TransportError with code `closed`
   */
  send(frame: Frame): Promise<void>;
  receive(): Promise<Frame | TransportClosed>;
  /** Says goodbye and resolves when the connection has ended; cuts it when the peer does not answer. */
  close(code: number, reason: string): Promise<void>;
  /** Cuts the connection at once. */
  terminate(): void;
  /** Told once when the connection ends, even while frames are unread; at once when it has ended. Returns an undo. */
  onClosed(listener: (closed: TransportClosed) => void): () => void;
};

/**
 * Opens a connection; the credentials and the address are its own business.
 *
 * @throws ConnectError
 */
export type Connect = (cancellation: Cancellation) => Promise<Transport>;

export class TransportError extends Error {
  readonly code: 'closed';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransportError';
    this.code = 'closed';
  }
}

export type ConnectErrorCode =
  | 'refused'
  | 'timeout'
  | 'unauthorized'
  | 'http'
  | 'tls'
  | 'dns'
  | 'unreachable'
  | 'address-not-allowed'
  | 'invalid-url'
  | 'cancelled'
  | 'failed';

/** Why no connection came about. The message never holds a query, a token or credentials. */
export class ConnectError extends Error {
  readonly code: ConnectErrorCode;
  /** The HTTP status, when the peer answered with one. */
  readonly status: number | undefined;

  constructor(code: ConnectErrorCode, message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.name = 'ConnectError';
    this.code = code;
    this.status = options.status;
  }
}
