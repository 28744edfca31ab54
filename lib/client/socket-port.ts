/** Why the socket closed. `code` is not a number for closes of the socket library's own making. */
export type SocketClose = { readonly code: unknown; readonly reason: string };

export type RelaySocketEvents = {
  /** Open, with a fresh ticket for the `hello`. */
  onOpen(ticket: string): void;
  onMessage(text: string): void;
  onClose(close: SocketClose): void;
  /** The next attempt is at this moment, in Unix milliseconds of this browser. */
  onWaiting(retryAtMs: number): void;
  /** The relay does not know us: no further attempt is made. */
  onSignedOut(): void;
};

/** A socket that connects again by itself, with growing and random delays. It keeps nothing for later. */
export type RelaySocket = {
  /** @returns false when it is not open; then nothing was sent and nothing is kept */
  send(text: string): boolean;
  /** Drops what is there and connects at once. */
  reconnectNow(): void;
  /** Drops what is there and connects after the delay. */
  reconnectAfter(delayMs: number): void;
  /** For good. May be called twice. */
  close(): void;
};

export type OpenRelaySocket = (events: RelaySocketEvents) => RelaySocket;
