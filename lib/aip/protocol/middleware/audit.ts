import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { type MessageFacts, messageFacts } from './message-facts';
import { type AipMessage, type Direction, MessageRefused, type Middleware } from './middleware';

export type AuditRecord = MessageFacts & {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly direction: Direction;
  /** Who is at the other end, as whoever made the middleware knows it. */
  readonly peer?: string;
};

export type AuditOptions = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Puts one record where it lasts. */
  readonly write: (record: AuditRecord) => void | Promise<void>;
  readonly peer?: string;
  /** {@link AUDITED_TYPES} by default. */
  readonly types?: readonly AipMessage['type'][];
};

/** Who came, what was asked for, what was done about it and how it ended. */
export const AUDITED_TYPES: readonly AipMessage['type'][] = [
  'register',
  'task',
  'command',
  'command_results',
  'task_end',
];

/**
 * Writes down who did what before it goes on. What cannot be written down is refused: a deed without its record is what an
 * audit is there to prevent.
 */
export function createAuditMiddleware<Outgoing extends AipMessage, Incoming extends AipMessage>(
  options: AuditOptions,
): Middleware<Outgoing, Incoming> {
  const { clock, logger, write, peer } = options;
  const audited = new Set<string>(options.types ?? AUDITED_TYPES);
  async function recorded<Message extends AipMessage>(direction: Direction, message: Message): Promise<Message> {
    if (!audited.has(message.type)) return message;
    try {
      await write({ atMs: clock.now(), direction, ...(peer !== undefined && { peer }), ...messageFacts(message) });
      return message;
    } catch (cause) {
      // Where the record should have gone is nothing that a peer needs to know.
      logger.error('audit-not-written', { type: message.type, reason: String(cause) });
      throw new MessageRefused('The audit record could not be written; try again later', { cause });
    }
  }
  return {
    name: 'audit',
    outgoing: (message) => recorded('outgoing', message),
    incoming: (message) => recorded('incoming', message),
  };
}
