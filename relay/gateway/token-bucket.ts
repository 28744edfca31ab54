/** How often something may happen: `burst` at once, `perSecond` in the long run. */
export type Rate = { readonly burst: number; readonly perSecond: number };

/** Counts tokens. Time comes in, so that nothing ticks while nothing happens. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = nowMs;
  }

  /** @returns how many tokens are left after taking one; negative when there was none, at most `debtMax` below zero */
  take(nowMs: number, debtMax = 0): number {
    const earned = (Math.max(0, nowMs - this.#atMs) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + earned);
    this.#atMs = nowMs;
    const left = this.#tokens - 1;
    if (left >= -debtMax) this.#tokens = left;
    return left;
  }
}
