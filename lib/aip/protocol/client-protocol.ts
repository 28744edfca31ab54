import {
  buildClientError,
  type ClientMessage,
  type ClientType,
  parseServerMessage,
  type ServerMessage,
} from '@/lib/aip/messages';
import type { Clock } from '@/lib/std/clock';
import { type AipProtocol, type AipProtocolOptions, createAipProtocol, type Sent } from './aip-protocol';
import type { Middleware } from './middleware/middleware';

export type ClientMiddleware = Middleware<ClientMessage, ServerMessage>;

export type ClientProtocolOptions = Omit<AipProtocolOptions<ClientMessage, ServerMessage>, 'parse'> & {
  readonly clock: Clock;
  readonly clientId: string;
  readonly clientType: ClientType;
};

/** What an ERROR of a client is about, as far as it is about one thing. */
export type ErrorContext = { readonly sessionId?: string | undefined; readonly prevResponseId?: string | undefined };

export type ClientProtocol = AipProtocol<ClientMessage, ServerMessage> & {
  /**
   * Tells the server that something of it could not be dealt with; a stock server repeats it as an ERROR of its own.
   * Never an answer to an ERROR.
   */
  sendError(error: string, context?: ErrorContext): Promise<Sent>;
};

/** The protocol as a client of a device server speaks it, in either role. */
export function createClientProtocol(options: ClientProtocolOptions): ClientProtocol {
  const { clock, clientId, clientType } = options;
  const protocol = createAipProtocol<ClientMessage, ServerMessage>({ ...options, parse: parseServerMessage });
  return Object.assign(protocol, {
    sendError(error: string, context: ErrorContext = {}) {
      return protocol.send(buildClientError({ clientId, clientType, error, ...context }, clock.now()));
    },
  });
}
