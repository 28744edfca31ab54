import { err, ok, type Result } from '@/lib/std/result';

/** A moment of a file: as milliseconds (with microseconds as fraction), and as the reference would write it again. */
export type Timestamp = { readonly atMs: number; readonly text: string };

const ISO_FORM =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?)?)?$/;

/**
 * Reads ISO 8601 as Python 3.11 does: `Z`, offsets, a missing offset (taken as UTC), dates alone, fractions of seconds.
 *
 * @returns the text with `Z` as `+00:00` and a foreign offset kept; the failure is what was expected
 */
export function parseTimestamp(text: string): Result<Timestamp, string> {
  const match = ISO_FORM.exec(text);
  if (match === null) return err('an ISO 8601 time such as 2025-11-06T09:00:00+00:00');
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = ''] =
    match;
  const wholeMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const expected = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (Number.isNaN(wholeMs) || new Date(wholeMs).toISOString().slice(0, 19) !== expected) {
    return err('a time that exists in the calendar');
  }
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const offset = offsetOf(zone);
  const dot = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
  return ok({ atMs: wholeMs - offset.minutes * 60_000 + micros / 1000, text: `${expected}${dot}${offset.text}` });
}

/** Seconds in an offset are of historic interest only, and dropped. */
function offsetOf(zone: string): { readonly minutes: number; readonly text: string } {
  if (zone === '' || zone === 'Z') return { minutes: 0, text: '+00:00' };
  const digits = zone.slice(1).replaceAll(':', '');
  const hours = digits.slice(0, 2);
  const minutes = digits.slice(2, 4).padEnd(2, '0');
  const sign = zone.startsWith('-') ? -1 : 1;
  return { minutes: sign * (Number(hours) * 60 + Number(minutes)), text: `${zone.slice(0, 1)}${hours}:${minutes}` };
}

/** As the reference writes a new time: UTC with `+00:00`, microseconds only when there are any. */
export function formatTimestamp(atMs: number): string {
  const micros = Math.round(atMs * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  const rest = micros - seconds * 1_000_000;
  const dot = rest === 0 ? '' : `.${String(rest).padStart(6, '0')}`;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${dot}+00:00`;
}

/** For texts that a schema let through without reading them: null instead of a failure. */
export function millisecondsOf(text: string | null): number | null {
  if (text === null) return null;
  const parsed = parseTimestamp(text);
  return parsed.ok ? parsed.value.atMs : null;
}
