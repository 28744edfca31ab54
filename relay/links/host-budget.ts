/** Tries that one host is given at once, and how long one more takes to come. */
const BURST = 60;
const REFILL_MS = 1_000;

/**
 * Spreads connection tries to one host: many devices behind a dead server together try it about once a second.
 *
 * @returns for each try the milliseconds that it has to wait
 */
export function createHostBudget(now: () => number): (shownUrl: string) => number {
  const emptyUntilMs = new Map<string, number>();
  return (shownUrl) => {
    const { host } = new URL(shownUrl);
    const nowMs = now();
    const start = Math.max(emptyUntilMs.get(host) ?? 0, nowMs - BURST * REFILL_MS);
    emptyUntilMs.set(host, start + REFILL_MS);
    return Math.max(0, start + REFILL_MS - nowMs);
  };
}
