/** A name that is safe in paths and logs, as the HTTP API demands it. */
export function isSafeTaskName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name);
}

/** Rewrites a name from the wire into a safe one; a name of which nothing is left becomes the fallback. */
export function sanitiseTaskName(name: string, fallback: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]/gu, '_').replace(/^\.+/, '');
  return safe === '' ? fallback : safe;
}
