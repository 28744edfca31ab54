import type { Role } from '@/lib/relay-protocol/commands';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import { sha256Hex } from './digest';

export const TICKET_MS = 30_000;
/** A page takes one per connection; more than this many unused ones are somebody's mistake. */
const TICKETS_PER_HOLDER_MAX = 256;

/** Whom a ticket speaks for. `sessionId` null is a holder of the admin token. */
export type TicketHolder = { readonly actor: string; readonly role: Role; readonly sessionId: string | null };

/**
 * Tickets for the browser socket: good once, for 30 s. They live in memory only: after a restart of the relay a page
 * fetches a new one with its cookie.
 */
export type Tickets = {
  /** @returns undefined when the holder has too many unused ones */
  issue(holder: TicketHolder): string | undefined;
  /** The holder for exactly one caller; undefined when the ticket is unknown, used or too old. */
  redeem(ticket: string): TicketHolder | undefined;
  revokeOf(sessionId: string): void;
};

type Entry = { readonly holder: TicketHolder; readonly expiresAtMs: number };

export function createTickets(ports: { clock: Clock; random: Random }): Tickets {
  const { clock, random } = ports;
  const entries = new Map<string, Entry>();
  const held = new Map<string | null, number>();

  function remove(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    const { sessionId } = entry.holder;
    const left = (held.get(sessionId) ?? 1) - 1;
    if (left > 0) held.set(sessionId, left);
    else held.delete(sessionId);
    return entry;
  }

  function sweep(): void {
    // Insertion order is order of expiry, so the sweep stops at the first that is still good.
    for (const [key, entry] of entries) {
      if (entry.expiresAtMs > clock.now()) return;
      remove(key);
    }
  }

  return {
    issue(holder) {
      sweep();
      const count = held.get(holder.sessionId) ?? 0;
      if (count >= TICKETS_PER_HOLDER_MAX) return undefined;
      const ticket = random.hex(32);
      entries.set(sha256Hex(ticket), { holder, expiresAtMs: clock.now() + TICKET_MS });
      held.set(holder.sessionId, count + 1);
      return ticket;
    },
    redeem(ticket) {
      const entry = remove(sha256Hex(ticket));
      return entry === undefined || entry.expiresAtMs <= clock.now() ? undefined : entry.holder;
    },
    revokeOf(sessionId) {
      for (const [key, entry] of entries) if (entry.holder.sessionId === sessionId) remove(key);
    },
  };
}
