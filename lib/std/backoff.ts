/** How a wait between attempts grows. Milliseconds. */
export type BackoffPolicy = {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the delay that is random: 0 is none, 1 is full jitter. */
  readonly jitter: number;
};

/**
 * The wait before attempt `attempt` (0 is the first retry).
 *
 * @param fraction - random, in [0, 1)
 * @returns milliseconds, never above `policy.maxMs`
 */
export function backoffDelayMs(policy: BackoffPolicy, attempt: number, fraction: number): number {
  const grown = Math.min(policy.maxMs, policy.initialMs * policy.factor ** Math.min(attempt, 64));
  return Math.round(grown * (1 - policy.jitter) + grown * policy.jitter * fraction);
}
