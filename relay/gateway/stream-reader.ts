import type { z } from 'zod';
import type { resetReasonSchema, streamModeSchema } from '@/lib/relay-protocol/down';
import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { EventTexts } from './event-texts';
import type { SnapshotParts, SnapshotTexts } from './snapshot-texts';

/** A gap beyond one of these is cheaper to close with a snapshot. */
const REPLAY_EVENTS_MAX = 500;
const REPLAY_CHARACTERS_MAX = 256 * 1024;

/** One events frame: small enough that a result or a ping never waits long behind it. */
const FRAME_EVENTS_MAX = 64;
const FRAME_CHARACTERS_MAX = 32 * 1024;

export type StreamMode = z.infer<typeof streamModeSchema>;
export type ResetReason = z.infer<typeof resetReasonSchema>;
type Pending = SnapshotParts & { sent: number };

export type ReaderPorts = { readonly runtime: Runtime; readonly texts: EventTexts; readonly snapshots: SnapshotTexts };

/**
 * Where one browser stands in one stream. It holds numbers, not events: what is next is read from the log when the
 * socket has room for it, so replay and live traffic are the same loop and a slow reader costs nothing.
 */
export class StreamReader {
  readonly stream: StreamName;
  readonly mode: StreamMode;
  /** Set when what the browser has is void. */
  readonly resetReason: ResetReason | undefined;
  readonly #ports: ReaderPorts;
  #epoch: string;
  #head: number;
  #sent: number;
  #acked: number;
  #snapshot: Pending | 'wanted' | undefined;

  constructor(ports: ReaderPorts, stream: StreamName, from: Cursor | null) {
    this.#ports = ports;
    this.stream = stream;
    const head = ports.runtime.head(stream);
    this.#epoch = head.epoch;
    this.#head = head.number;
    const start = this.#startAt(head, from);
    this.mode = start.mode;
    this.resetReason = start.reset;
    this.#sent = start.mode === 'snapshot' ? 0 : (from?.number ?? 0);
    this.#acked = this.#sent;
    this.#snapshot = start.mode === 'snapshot' ? 'wanted' : undefined;
  }

  get head(): Cursor {
    return { epoch: this.#epoch, number: this.#head };
  }

  get unacked(): number {
    return this.#sent - this.#acked;
  }

  get hasSnapshotToSend(): boolean {
    return this.#snapshot !== undefined;
  }

  get isBehind(): boolean {
    return this.#snapshot !== undefined || this.#sent < this.#head;
  }

  /** @returns false when the log is another one than the browser reads; it must start again */
  advance(head: Cursor): boolean {
    if (head.epoch !== this.#epoch) return false;
    this.#head = Math.max(this.#head, head.number);
    return true;
  }

  /** Cumulative; what was never sent cannot be acknowledged. @returns true when it moved */
  acknowledge(number: number): boolean {
    const acked = Math.min(number, this.#sent);
    if (acked <= this.#acked) return false;
    this.#acked = acked;
    return true;
  }

  /** The next frame as text; undefined when there is none; `hole` when the log no longer has what is next. */
  next(): string | 'hole' | undefined {
    if (this.#snapshot !== undefined) return this.#nextPart();
    if (this.#sent >= this.#head) return undefined;
    return this.#nextEvents();
  }

  #startAt(head: Cursor, from: Cursor | null): { mode: StreamMode; reset: ResetReason | undefined } {
    if (from === null) return { mode: 'snapshot', reset: undefined };
    if (from.epoch !== head.epoch) return { mode: 'snapshot', reset: 'epoch' };
    if (from.number > head.number) return { mode: 'snapshot', reset: 'ahead' };
    if (from.number === head.number) return { mode: 'live', reset: undefined };
    return this.#canReplay(from.number, head.number)
      ? { mode: 'replay', reset: undefined }
      : { mode: 'snapshot', reset: 'too-old' };
  }

  /** The whole gap or nothing: a partial replay would be a hole that nobody sees. */
  #canReplay(from: number, head: number): boolean {
    if (head - from > REPLAY_EVENTS_MAX) return false;
    const events = this.#ports.texts.readAfter(this.stream, this.#epoch, { number: from, limit: head - from });
    if (events.length < head - from || events[0]?.number !== from + 1) return false;
    let characters = 0;
    for (const event of events) characters += event.text.length;
    return characters <= REPLAY_CHARACTERS_MAX;
  }

  #nextEvents(): string | 'hole' {
    const range = { number: this.#sent, limit: FRAME_EVENTS_MAX };
    const texts: string[] = [];
    let characters = 0;
    for (const event of this.#ports.texts.readAfter(this.stream, this.#epoch, range)) {
      if (event.number !== this.#sent + texts.length + 1) break;
      if (texts.length > 0 && characters + event.text.length > FRAME_CHARACTERS_MAX) break;
      texts.push(event.text);
      characters += event.text.length;
    }
    if (texts.length === 0) return 'hole';
    const start = JSON.stringify({ type: 'events', stream: this.stream, epoch: this.#epoch, number: this.#sent + 1 });
    this.#sent += texts.length;
    return `${start.slice(0, -1)},"events":[${texts.join(',')}]}`;
  }

  /** The state is read when its first part is sent, so that a long wait does not make it old. */
  #nextPart(): string {
    const snapshot = this.#takeSnapshot();
    const part = snapshot.parts[snapshot.sent] ?? '';
    snapshot.sent += 1;
    if (snapshot.sent >= snapshot.parts.length) {
      this.#snapshot = undefined;
      this.#epoch = snapshot.cursor.epoch;
      this.#sent = snapshot.cursor.number;
      this.#acked = snapshot.cursor.number;
      this.#head = Math.max(this.#head, snapshot.cursor.number);
    }
    return JSON.stringify({
      type: 'snapshot',
      stream: this.stream,
      ...snapshot.cursor,
      part: snapshot.sent,
      parts: snapshot.parts.length,
      text: part,
    });
  }

  #takeSnapshot(): Pending {
    if (this.#snapshot !== undefined && this.#snapshot !== 'wanted') return this.#snapshot;
    const snapshot: Pending = { ...this.#ports.snapshots.of(this.stream), sent: 0 };
    this.#snapshot = snapshot;
    return snapshot;
  }
}
