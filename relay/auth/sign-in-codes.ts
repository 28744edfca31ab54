import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Kv } from '@/relay/engine/engine';
import { sha256Hex } from './digest';

const SPACE = 'sign-in-codes';
export const SIGN_IN_CODE_MS = 10 * 60_000;

/** Codes of sign-in links: good once, for ten minutes. Kept as hashes, so that they outlive a restart of the relay. */
export type SignInCodes = {
  issue(): string;
  /** True for exactly one of many callers with the same code. */
  redeem(code: string): boolean;
};

export function createSignInCodes(ports: { kv: Kv; clock: Clock; random: Random }): SignInCodes {
  const { kv, clock, random } = ports;
  return {
    issue() {
      const code = random.hex(16);
      kv.write([
        { op: 'put', space: SPACE, key: sha256Hex(code), value: '1', expiresAtMs: clock.now() + SIGN_IN_CODE_MS },
      ]);
      return code;
    },
    redeem: (code) => kv.take(SPACE, sha256Hex(code)) !== undefined,
  };
}

/** The code stands behind `#`, so that it reaches no server's log and no referrer. */
export function signInUrl(origin: string, code: string): string {
  return `${origin}/sign-in#code=${code}`;
}
