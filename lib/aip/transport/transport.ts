import type { Cancellation } from './cancellation';

/** Where a connection stands. `error` follows a try to connect that failed; a lost connection is `disconnected`. */
export type TransportState = 'disconnected' | 'connecting' | 'connected' | 'disconnecting' | 'error';

/** What one frame carries: text, or bytes of a binary frame. */
export type FrameData = string | Uint8Array;

/** How a connection ended; `clean` when both sides said goodbye. Code 1006 stands for a connection that was cut. */
export type TransportClosed = {
  readonly code: number;
  readonly reason: string;
  readonly clean: boolean;
};

/**
 * One connection, read by pulling: a reader that has not asked for the next frame holds the peer back.
 *
 * One reader at a time. After the end the three `receive` methods hand out what had arrived before it, then reject with a
 * {@link ConnectionError}, again and again. A transport connects once; the next connection is the next transport.
 */
export type Transport = {
  readonly state: TransportState;
  /** Bytes that were handed over and have not left this machine. */
  readonly bufferedBytes: number;
  /**
   * Opens the connection; does nothing when it is open, as an accepted one is from the start.
   *
   * @throws ConnectError
   */
  connect(cancellation?: Cancellation): Promise<void>;
  /**
   * Sends text as a text frame, half of a surrogate pair as U+FFFD, and bytes as a binary one; resolves when the frame was
   * handed to the socket. Frames leave in the order of the calls.
   *
   * @throws ConnectionError
   */
  send(data: FrameData): Promise<void>;
  /**
   * The next frame as text; a binary one is read as UTF-8, as stock clients read it.
   *
   * @throws ConnectionError
   * @throws FrameError when a binary frame is no UTF-8; the frame is used up
   */
  receive(): Promise<string>;
  /**
   * The next frame, which must be binary.
   *
   * @throws ConnectionError
   * @throws FrameError when it is text; the frame is used up
   */
  receiveBinary(): Promise<Uint8Array>;
  /**
   * The next frame, whichever kind it is.
   *
   * @throws ConnectionError
   */
  receiveAuto(): Promise<FrameData>;
  /** Says goodbye and resolves when the connection has ended; cuts it when the peer does not answer. May be called twice. */
  close(code?: number, reason?: string): Promise<void>;
  /** Cuts the connection at once. */
  terminate(): void;
  /** Resolves when the connection has ended, even while frames are unread; never before it was open. */
  waitClosed(): Promise<TransportClosed>;
};

/** Makes a transport that is not connected yet; the address and the credentials are its own business. */
export type TransportFactory = () => Transport;

/** There is no connection, or no longer one. */
export class ConnectionError extends Error {
  /** How it ended; undefined while it has not been open. */
  readonly closed: TransportClosed | undefined;

  constructor(message: string, options: ErrorOptions & { readonly closed?: TransportClosed | undefined } = {}) {
    super(message, options);
    this.name = 'ConnectionError';
    this.closed = options.closed;
  }
}

/** A frame was of the other kind than the one asked for. The connection is as good as before. */
export class FrameError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FrameError';
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
export class ConnectError extends ConnectionError {
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
