import type { ClientMessage, ServerMessage } from '@/lib/aip/messages';

export type AipMessage = ClientMessage | ServerMessage;
export type Direction = 'incoming' | 'outgoing';

/** A look at, or a change of, what passes. Outgoing in the order of adding, incoming in reverse, like layers of a coat. */
export type Middleware<Outgoing, Incoming> = {
  /** Named in logs and refusals, in kebab-case. */
  readonly name: string;
  readonly outgoing?: (message: Outgoing) => Outgoing | Promise<Outgoing>;
  readonly incoming?: (message: Incoming) => Incoming | Promise<Incoming>;
};

/** Thrown by a middleware that lets a message go no further; the message says why and holds no payload. */
export class MessageRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'MessageRefused';
  }
}
