/** The code that a system's error carries, like `ENOENT` or `SQLITE_FULL`; empty when it has none. */
export function errorCode(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  return typeof cause.code === 'string' ? cause.code : '';
}
