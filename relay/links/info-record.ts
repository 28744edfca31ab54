import type { DeviceInfo } from '@/lib/fleet/device';
import { canonicalJson } from '@/lib/std/canonical-json';
import type { JsonObject } from '@/lib/std/json';

export type InfoAnswer = {
  readonly info: JsonObject;
  /** Whether the device was asked just now; else its server answered from what it kept. */
  readonly fresh: boolean;
  readonly askedAtMs: number;
  readonly nowMs: number;
};

/**
 * Dates an answer. What a server kept since registration carries no date, so it is dated by the first time that exactly
 * this content was seen, and seeing it again makes it no younger. A device that registers again with the same words
 * may look older than it is, never younger.
 */
export function recordOf(known: DeviceInfo | null, { info, fresh, askedAtMs, nowMs }: InfoAnswer): DeviceInfo {
  if (fresh) return { info, origin: 'device', askedAtMs, collectedAtMs: nowMs };
  if (known !== null && canonicalJson(known.info) === canonicalJson(info)) return { ...known, askedAtMs };
  return { info, origin: 'registration', askedAtMs, collectedAtMs: nowMs };
}
