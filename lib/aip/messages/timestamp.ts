/**
 * UTC as the stock peers write it: microseconds and an offset instead of `Z`, which older Python readers refuse.
 *
 * @param atMs - milliseconds since the Unix epoch
 */
export function toTimestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000+00:00');
}
