import { z } from 'zod';
import { type Role, roleSchema } from '@/lib/relay-protocol/commands';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Kv } from '@/relay/engine/engine';
import { sha256Hex } from './digest';

const SPACE = 'sessions';
/** A week: long enough for a shift rota, short enough for a lost laptop. */
export const SESSION_MS = 7 * 86_400_000;

const storedSchema = z.strictObject({ actor: z.string(), role: roleSchema, startedAtMs: z.number() });

/** Who is signed in. `sessionId` is the hash of the cookie's value and no secret: the cookie cannot be made from it. */
export type BrowserLogin = {
  readonly sessionId: string;
  readonly actor: string;
  readonly role: Role;
  readonly startedAtMs: number;
};

export type Sessions = {
  /** @returns the cookie's value; it is shown once and only its hash is kept */
  start(actor: string, role: Role): string;
  find(cookieValue: string): BrowserLogin | undefined;
  isAlive(sessionId: string): boolean;
  end(sessionId: string): void;
  /** Told at once when a session is ended, so that its sockets can go. @returns stops it */
  onEnded(listener: (sessionId: string) => void): () => void;
};

export function createSessions(ports: { kv: Kv; clock: Clock; random: Random }): Sessions {
  const { kv, clock, random } = ports;
  const listeners = new Set<(sessionId: string) => void>();
  return {
    start(actor, role) {
      const cookieValue = random.hex(32);
      const startedAtMs = clock.now();
      kv.write([
        {
          op: 'put',
          space: SPACE,
          key: sha256Hex(cookieValue),
          value: JSON.stringify({ actor, role, startedAtMs }),
          expiresAtMs: startedAtMs + SESSION_MS,
        },
      ]);
      return cookieValue;
    },
    find(cookieValue) {
      if (!/^[0-9a-f]{64}$/.test(cookieValue)) return undefined;
      const sessionId = sha256Hex(cookieValue);
      const text = kv.get(SPACE, sessionId);
      return text === undefined ? undefined : { sessionId, ...storedSchema.parse(JSON.parse(text)) };
    },
    isAlive: (sessionId) => kv.get(SPACE, sessionId) !== undefined,
    end(sessionId) {
      kv.write([{ op: 'delete', space: SPACE, key: sessionId }]);
      for (const listener of listeners) listener(sessionId);
    },
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
