import { text } from '@/components/text/catalogue';
import { formatClockTime, formatDuration } from '@/components/text/format-time';
import type { Link } from '@/lib/relay-protocol/link';
import { assertNever } from '@/lib/std/assert-never';
import type { BoardState } from '@/lib/store/board-state';

export type ConnectionKind =
  | 'live'
  | 'catching-up'
  | 'connecting'
  | 'reconnecting'
  | 'offline'
  | 'stopped'
  | 'signed-out';
export type ConnectionView = { readonly kind: ConnectionKind; readonly label: string };

/** A loss shorter than this is told as "reconnecting"; a longer one as "offline", with the age of what is shown. */
const SHORT_LOSS_MS = 15_000;

export type ConnectionFacts = {
  readonly link: Link;
  readonly catchUp: BoardState['catchUp'];
  readonly nowMs: number;
};

/** What the header's pill says. It never says `Live` while something is known to be missing. */
export function connectionView({ link, catchUp, nowMs }: ConnectionFacts): ConnectionView {
  const words = text.shell.connection;
  switch (link.phase) {
    case 'open':
      if (catchUp.events === 0 && catchUp.snapshots === 0) return { kind: 'live', label: words.live };
      return { kind: 'catching-up', label: words.catchingUp(catchUp.events) };
    case 'signed-out':
      return { kind: 'signed-out', label: words.signedOut };
    case 'stopped':
      return { kind: 'stopped', label: words.stopped };
    case 'connecting':
    case 'waiting': {
      const freshAtMs = link.freshAtMs;
      if (freshAtMs === null && link.phase === 'connecting') return { kind: 'connecting', label: words.connecting };
      if (freshAtMs !== null && nowMs - freshAtMs > SHORT_LOSS_MS) {
        return { kind: 'offline', label: words.offline(formatClockTime(freshAtMs)) };
      }
      const waitMs = link.phase === 'waiting' ? link.retryAtMs - nowMs : 0;
      if (waitMs <= 0) return { kind: 'reconnecting', label: words.reconnectingNow };
      return { kind: 'reconnecting', label: words.reconnecting(formatDuration(Math.ceil(waitMs / 1_000) * 1_000)) };
    }
    default:
      return assertNever(link);
  }
}
