/** Tries that a failing host is given at once, and how long one more takes to come. */
const BURST = 10;
const REFILL_MS = 1_000;

/**
 * Keeps many devices from hammering one dead server: as long as a host fails, all tries to it together come about once a
 * second. A host that answers is not held back.
 */
export type HostBudget = {
  /** How long the next try of this host has to wait, in milliseconds; takes the turn. */
  turnMs(shownUrl: string): number;
  failed(shownUrl: string): void;
  answered(shownUrl: string): void;
};

export function createHostBudget(now: () => number): HostBudget {
  /** For each failing host, the time up to which its turns are given away. */
  const takenUntilMs = new Map<string, number>();
  return {
    turnMs(shownUrl) {
      const host = hostOf(shownUrl);
      const taken = takenUntilMs.get(host);
      if (taken === undefined) return 0;
      const nowMs = now();
      const turn = Math.max(taken, nowMs - BURST * REFILL_MS) + REFILL_MS;
      takenUntilMs.set(host, turn);
      return Math.max(0, turn - nowMs);
    },
    failed(shownUrl) {
      const host = hostOf(shownUrl);
      if (!takenUntilMs.has(host)) takenUntilMs.set(host, Number.NEGATIVE_INFINITY);
    },
    answered: (shownUrl) => takenUntilMs.delete(hostOf(shownUrl)),
  };
}

function hostOf(shownUrl: string): string {
  return new URL(shownUrl).host;
}
