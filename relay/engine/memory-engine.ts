import type { Position, StreamName } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Batch, Engine, KvWrite } from './engine';
import { EngineError } from './engine-error';
import { fromStoredText, toStoredText } from './stored-json';

type Log = { readonly epoch: string; readonly texts: string[] };
type KvEntry = { readonly value: string; readonly expiresAtMs: number | null };

export type MemoryEngineOptions = {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** How many events fit; the one more is a full disk. */
  readonly eventsMax?: number;
};

/** Holds everything in memory, for tests. Events pass through JSON as on disk, so that nothing else can survive. */
export function createMemoryEngine({ clock, random, eventsMax }: MemoryEngineOptions): Engine {
  const logs = new Map<StreamName, Log>();
  const snapshots = new Map<StreamName, { number: number; text: string }>();
  const spaces = new Map<string, Map<string, KvEntry>>();
  const blobs = new Map<string, { bytes: Uint8Array; mediaType: string }>();
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new EngineError('closed', 'Expected an open journal, but it has been closed');
  }

  function logOf(stream: StreamName): Log {
    const known = logs.get(stream);
    if (known !== undefined) return known;
    const log: Log = { epoch: random.hex(8), texts: [] };
    logs.set(stream, log);
    return log;
  }

  function live(space: string, key: string): string | undefined {
    const entry = spaces.get(space)?.get(key);
    if (entry === undefined) return undefined;
    return entry.expiresAtMs !== null && entry.expiresAtMs <= clock.now() ? undefined : entry.value;
  }

  function writeKv(writes: readonly KvWrite[]): void {
    for (const write of writes) {
      const space = spaces.get(write.space) ?? new Map<string, KvEntry>();
      spaces.set(write.space, space);
      if (write.op === 'put') space.set(write.key, { value: write.value, expiresAtMs: write.expiresAtMs });
      else space.delete(write.key);
    }
  }

  function append(batch: Batch): readonly Position[] {
    assertOpen();
    const texts = batch.events.map(({ event }) => toStoredText(event));
    const stored = [...logs.values()].reduce((sum, log) => sum + log.texts.length, 0);
    if (eventsMax !== undefined && stored + texts.length > eventsMax) {
      throw new EngineError('full', `The journal is full: it holds ${eventsMax} events at most`);
    }
    const positions = batch.events.map(({ stream }, index) => {
      const log = logOf(stream);
      log.texts.push(texts[index] ?? '');
      return { stream, epoch: log.epoch, number: log.texts.length };
    });
    writeKv(batch.kv);
    return positions;
  }

  return {
    append,
    head(stream) {
      assertOpen();
      const log = logOf(stream);
      return { epoch: log.epoch, number: log.texts.length };
    },
    readAfter(stream, number, limit) {
      assertOpen();
      const texts = logs.get(stream)?.texts.slice(number, number + limit) ?? [];
      return texts.map((text, index) => ({ number: number + index + 1, event: fromStoredText(text) }));
    },
    saveSnapshot(stream, number, text) {
      assertOpen();
      snapshots.set(stream, { number, text });
    },
    loadSnapshot: (stream) => snapshots.get(stream),
    kv: {
      get: live,
      write(writes) {
        assertOpen();
        writeKv(writes);
      },
      take(space, key) {
        assertOpen();
        const value = live(space, key);
        spaces.get(space)?.delete(key);
        return value;
      },
    },
    blobs: {
      put(bytes, mediaType) {
        assertOpen();
        const handle = random.hex(16);
        blobs.set(handle, { bytes: bytes.slice(), mediaType });
        return { handle, sizeBytes: bytes.byteLength };
      },
      get: (handle) => blobs.get(handle),
    },
    close() {
      isClosed = true;
    },
  };
}
