import type { ServerMessage } from '@/lib/aip/messages';
import { type AipMessage, MessageRefused, type Middleware } from './middleware';

/** Says nothing to what is allowed, and why to what is not. The text goes to the peer. */
export type Permit<Message> = (message: Message) => string | undefined | Promise<string | undefined>;

export type AuthorisationOptions<Outgoing, Incoming> = {
  /** May this peer ask this of us? */
  readonly incoming?: Permit<Incoming>;
  /** May we ask this of this peer? */
  readonly outgoing?: Permit<Outgoing>;
};

/**
 * Lets through what is allowed. The peer learns why its message was refused in the way of its type: a COMMAND gets failed
 * results, a TASK an ERROR.
 */
export function createAuthorisationMiddleware<Outgoing extends AipMessage, Incoming extends AipMessage>(
  options: AuthorisationOptions<Outgoing, Incoming>,
): Middleware<Outgoing, Incoming> {
  const { incoming, outgoing } = options;
  return {
    name: 'authorisation',
    ...(incoming && { incoming: (message) => permitted(message, incoming) }),
    ...(outgoing && { outgoing: (message) => permitted(message, outgoing) }),
  };
}

/** A device that may be asked for these tools only; a COMMAND with any other is refused as a whole. */
export function permitTools(names: Iterable<string>): Permit<ServerMessage> {
  const allowed = new Set(names);
  return ({ type, actions = [] }) => {
    const other = type === 'command' ? actions.find(({ tool_name }) => !allowed.has(tool_name)) : undefined;
    if (!other) return undefined;
    const choices = [...allowed].join(', ') || 'none';
    return `The tool ${JSON.stringify(other.tool_name.slice(0, 64))} is not allowed here; allowed: ${choices}`;
  };
}

async function permitted<Message>(message: Message, permit: Permit<Message>): Promise<Message> {
  const refusal = await permit(message);
  if (refusal !== undefined) throw new MessageRefused(refusal);
  return message;
}
