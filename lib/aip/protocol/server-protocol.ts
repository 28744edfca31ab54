import {
  type Acknowledgement,
  buildAcknowledgement,
  buildError,
  type ClientMessage,
  parseClientMessage,
  type ServerMessage,
} from '@/lib/aip/messages';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import { type AipProtocol, type AipProtocolOptions, createAipProtocol, type Sent } from './aip-protocol';
import type { Middleware } from './middleware/middleware';

export type ServerMiddleware = Middleware<ServerMessage, ClientMessage>;

export type ServerProtocolOptions = Omit<AipProtocolOptions<ServerMessage, ClientMessage>, 'parse'> & {
  readonly clock: Clock;
  readonly random: Random;
};

export type ServerProtocol = AipProtocol<ServerMessage, ClientMessage> & {
  /** Says yes, under a fresh response id unless there is one. */
  sendAck(yes?: Partial<Acknowledgement>): Promise<Sent>;
  /** Refuses what came last. Never an answer to an ERROR. */
  sendError(error: string, responseId?: string): Promise<Sent>;
};

/** The protocol as a device server speaks it with one client, of either role. */
export function createServerProtocol(options: ServerProtocolOptions): ServerProtocol {
  const { clock, random } = options;
  const protocol = createAipProtocol<ServerMessage, ClientMessage>({ ...options, parse: parseClientMessage });
  return Object.assign(protocol, {
    sendAck(yes: Partial<Acknowledgement> = {}) {
      return protocol.send(buildAcknowledgement({ ...yes, responseId: yes.responseId ?? random.uuid() }, clock.now()));
    },
    sendError(error: string, responseId = random.uuid()) {
      return protocol.send(buildError({ error, responseId }, clock.now()));
    },
  });
}
