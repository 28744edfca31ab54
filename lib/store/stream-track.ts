import type { Cursor } from '@/lib/relay-protocol/streams';
import type { Result } from '@/lib/std/result';

/** The browser's copy of one stream, as the screen sees it. A value that is being renewed stays on the screen. */
export type StreamCopy<Value> =
  | { readonly phase: 'loading' }
  | { readonly phase: 'ready'; readonly value: Value }
  | { readonly phase: 'missing' }
  | { readonly phase: 'broken'; readonly reason: string };

/** How a stream's snapshot is read and its events are folded: the same functions as in the relay. */
export type StreamFold<Value, Event> = {
  read(text: string): Result<Value, string>;
  fold(value: Value, events: readonly Event[]): Value;
};

/**
 * Where the copy stands in its stream.
 *
 * ```
 * no cursor ──snapshot, last part──► at a cursor ──next events──► at a later cursor
 *     ▲                                  │  hole, other epoch: ask again, keep the value
 *     └──────────── reset ───────────────┘
 * ```
 */
export type StreamTrack<Value> = {
  readonly copy: StreamCopy<Value>;
  readonly cursor: Cursor | null;
  /** Parts of a snapshot that has not arrived as a whole. */
  readonly parts: { readonly cursor: Cursor; readonly texts: readonly string[] } | null;
  /** The stream was asked for again and nothing has come yet, so another hole is no news. */
  readonly isAskedAgain: boolean;
};

export type TrackStep<Value> = { readonly track: StreamTrack<Value>; readonly askAgain: boolean };

export const NEW_TRACK = {
  copy: { phase: 'loading' },
  cursor: null,
  parts: null,
  isAskedAgain: false,
} as const satisfies StreamTrack<never>;

export type SnapshotPart = Cursor & { readonly part: number; readonly parts: number; readonly text: string };

/** Collects parts and swaps the value in after the last one, so a half snapshot is never seen. */
export function takeSnapshotPart<Value, Event>(
  track: StreamTrack<Value>,
  frame: SnapshotPart,
  fold: StreamFold<Value, Event>,
): TrackStep<Value> {
  const cursor = { epoch: frame.epoch, number: frame.number };
  const before = frame.part === 1 ? { cursor, texts: [] } : track.parts;
  const isNext = before !== null && before.texts.length === frame.part - 1 && isSame(before.cursor, cursor);
  if (!isNext) return askAgain({ ...track, cursor: null, parts: null });
  const texts = [...before.texts, frame.text];
  if (frame.part < frame.parts) return still({ ...track, parts: { cursor, texts } });
  const read = fold.read(texts.join(''));
  if (!read.ok) return still(brokenTrack(read.error));
  return still({ copy: { phase: 'ready', value: read.value }, cursor, parts: null, isAskedAgain: false });
}

export type EventsRun<Event> = Cursor & { readonly events: readonly Event[] };

/** Folds events only if the epoch is ours and the next number is among them; what was already applied is skipped. */
export function takeEvents<Value, Event>(
  track: StreamTrack<Value>,
  frame: EventsRun<Event>,
  fold: StreamFold<Value, Event>,
): TrackStep<Value> {
  if (track.cursor === null || track.copy.phase !== 'ready') return still(track);
  if (track.cursor.epoch !== frame.epoch) return askAgain(track);
  const known = track.cursor.number - frame.number + 1;
  if (known < 0) return askAgain(track);
  if (known >= frame.events.length) return still(track);
  const folded = foldSafely(track.copy.value, frame.events.slice(known), fold);
  if (!folded.ok) return still(brokenTrack(folded.error));
  return still({
    copy: { phase: 'ready', value: folded.value },
    cursor: { epoch: frame.epoch, number: frame.number + frame.events.length - 1 },
    parts: null,
    isAskedAgain: false,
  });
}

/** A bookmark that stands elsewhere than the copy means that something was lost on the way. */
export function takePosition<Value>(track: StreamTrack<Value>, position: Cursor): TrackStep<Value> {
  if (track.cursor === null || isSame(track.cursor, position)) return still(track);
  return askAgain({ ...track, isAskedAgain: false });
}

/** The copy's place is void and a snapshot follows; the value stays on the screen until then. */
export function takeReset<Value>(track: StreamTrack<Value>): StreamTrack<Value> {
  return { ...track, cursor: null, parts: null, isAskedAgain: false };
}

/** A new connection: whatever was asked for on the old one is void. */
export function afterReconnect<Value>(track: StreamTrack<Value>): StreamTrack<Value> {
  return { ...track, parts: null, isAskedAgain: false };
}

function still<Value>(track: StreamTrack<Value>): TrackStep<Value> {
  return { track, askAgain: false };
}

function askAgain<Value>(track: StreamTrack<Value>): TrackStep<Value> {
  return { track: { ...track, isAskedAgain: true }, askAgain: !track.isAskedAgain };
}

function brokenTrack<Value>(reason: string): StreamTrack<Value> {
  return { copy: { phase: 'broken', reason }, cursor: null, parts: null, isAskedAgain: false };
}

function foldSafely<Value, Event>(
  value: Value,
  events: readonly Event[],
  fold: StreamFold<Value, Event>,
): Result<Value, string> {
  try {
    return { ok: true, value: fold.fold(value, events) };
  } catch (cause) {
    // A fold that throws is a bug of ours; this stream says so on the screen and the others live on.
    return { ok: false, error: cause instanceof Error ? cause.message : String(cause) };
  }
}

function isSame(left: Cursor, right: Cursor): boolean {
  return left.epoch === right.epoch && left.number === right.number;
}
