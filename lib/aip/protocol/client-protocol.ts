import {
  buildClientError,
  type ClientMessage,
  type ClientType,
  parseServerMessage,
  type ServerMessage,
} from '@/lib/aip/messages';
import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { type AipProtocol, createAipProtocol, type RuleCheck, type Sent } from './aip-protocol';
import type { Middleware } from './middleware/middleware';

export type ClientMiddleware = Middleware<ClientMessage, ServerMessage>;

export type ClientProtocolOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly validate?: RuleCheck<ServerMessage>;
  readonly middlewares?: readonly ClientMiddleware[];
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
  const { transport, clock, logger, clientId, clientType, validate, middlewares = [] } = options;
  const protocol = createAipProtocol<ClientMessage, ServerMessage>({
    transport,
    parse: parseServerMessage,
    logger,
    ...(validate && { validate }),
  });
  for (const middleware of middlewares) protocol.use(middleware);
  return Object.assign(protocol, {
    sendError(error: string, context: ErrorContext = {}) {
      return protocol.send(buildClientError({ clientId, clientType, error, ...context }, clock.now()));
    },
  });
}
