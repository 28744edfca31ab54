import { encodeUtf8 } from '@/lib/std/utf8';

/**
 * How many bytes a value takes as JSON, at least approximately: the walk ends at the limit, so that a value far beyond it
 * costs no more than one just there. Members that JSON leaves out count as nothing.
 *
 * @returns bytes of UTF-8; escapes are not counted
 */
export function jsonBytesOf(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && bytes < limit) {
    const next = pending.pop();
    if (typeof next === 'string') bytes += textBytesOf(next, limit) + 2;
    else if (typeof next === 'object' && next !== null) {
      bytes += 2;
      for (const [key, member] of Object.entries(next)) {
        if (member === undefined) continue;
        bytes += Array.isArray(next) ? 1 : key.length + 4;
        pending.push(member);
      }
    } else if (next !== undefined) bytes += String(next).length;
  }
  return bytes;
}

/** No text has fewer bytes than units, so one that is over the limit by its units is not encoded. */
function textBytesOf(text: string, limit: number): number {
  return text.length >= limit ? text.length : encodeUtf8(text).length;
}
