import type { Link } from '@/lib/relay-protocol/link';

/**
 * The moment that the page speaks of. Without the relay nobody knows whether a task still runs or a device is still online,
 * so ages and durations stand still at the last moment that was known, which the pill in the header names.
 */
export function shownNowMs(link: Link, nowMs: number): number {
  if (link.phase === 'open' || link.phase === 'signed-out') return nowMs;
  return Math.min(nowMs, link.freshAtMs ?? nowMs);
}
