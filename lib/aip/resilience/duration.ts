/**
 * The length of a wait: the one asked for, or the default where none, `null` or 0 was given.
 *
 * @returns milliseconds
 * @throws RangeError for what is no length: negative, not a number or endless
 * @see microsoft/UFO, aip/resilience: `timeout or default_timeout`, `interval or default_interval`
 */
export function durationMs(askedMs: number | null | undefined, defaultMs: number): number {
  const chosenMs = askedMs === null || askedMs === undefined || askedMs === 0 ? defaultMs : askedMs;
  if (chosenMs > 0 && Number.isFinite(chosenMs)) return chosenMs;
  throw new RangeError(
    `Expected a positive, finite number of milliseconds, got ${chosenMs}; leave it out for the default`,
  );
}
