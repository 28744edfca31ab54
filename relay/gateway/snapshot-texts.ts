import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import { SNAPSHOT_PART_BYTES_MAX } from '@/lib/relay-protocol/timing';
import type { Runtime } from '@/relay/runtime/runtime-port';

/** JSON text inside of a JSON string takes at most three bytes per UTF-16 unit; the rest is the frame around it. */
const PART_CHARACTERS_MAX = Math.floor((SNAPSHOT_PART_BYTES_MAX - 1_024) / 3);
/** Of the streams that were asked for last: enough for a storm of pages that all come back. */
const STREAMS_MAX = 16;

/** The state of a stream at a position, cut for frames. */
export type SnapshotParts = { readonly cursor: Cursor; readonly parts: readonly string[] };

/** Snapshots, made once per position however many browsers come back at once. */
export class SnapshotTexts {
  readonly #runtime: Pick<Runtime, 'head' | 'snapshot'>;
  readonly #known = new Map<StreamName, SnapshotParts>();

  constructor(runtime: Pick<Runtime, 'head' | 'snapshot'>) {
    this.#runtime = runtime;
  }

  of(stream: StreamName): SnapshotParts {
    const known = this.#known.get(stream);
    const head = this.#runtime.head(stream);
    if (known !== undefined && known.cursor.epoch === head.epoch && known.cursor.number === head.number) return known;
    const { cursor, text } = this.#runtime.snapshot(stream);
    const made = { cursor, parts: cut(text) };
    this.#known.delete(stream);
    this.#known.set(stream, made);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= STREAMS_MAX) break;
      this.#known.delete(oldest);
    }
    return made;
  }
}

/** Never between the halves of a surrogate pair: each part is well-formed text by itself. */
function cut(text: string): string[] {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(at + PART_CHARACTERS_MAX, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.length === 0 ? [''] : parts;
}
