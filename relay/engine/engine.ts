import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { Cursor, Position, StreamName } from '@/lib/relay-protocol/streams';

export type StoredEvent = { readonly number: number; readonly event: StreamEvent };

/** One change of the key-value part. `expiresAtMs` null keeps for ever; times are Unix milliseconds. */
export type KvWrite =
  | {
      readonly op: 'put';
      readonly space: string;
      readonly key: string;
      readonly value: string;
      readonly expiresAtMs: number | null;
    }
  | { readonly op: 'delete'; readonly space: string; readonly key: string };

/** What must become durable together or not at all. */
export type Batch = {
  readonly events: readonly { readonly stream: StreamName; readonly event: StreamEvent }[];
  readonly kv: readonly KvWrite[];
};

/** Small durable facts: sessions, tokens, verdicts of commands, sealed secrets. Expired entries read as absent. */
export type Kv = {
  get(space: string, key: string): string | undefined;
  write(writes: readonly KvWrite[]): void;
  /** Reads and deletes in one step; of many callers exactly one gets the value. */
  take(space: string, key: string): string | undefined;
};

/** Large results, outside of the journal. */
export type Blobs = {
  /** @returns a random handle that says nothing about the content */
  put(bytes: Uint8Array, mediaType: string): { readonly handle: string; readonly sizeBytes: number };
  get(handle: string): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined;
};

/**
 * The one storage port. Numbers of a stream are dense from 1 and given in the same step as the append; a stream's epoch is
 * made with its first event or first asking, and lives as long as its log.
 */
export type Engine = {
  /** Atomic and on disk when it returns. @throws EngineError when the disk says no; then nothing of the batch is stored */
  append(batch: Batch): readonly Position[];
  head(stream: StreamName): Cursor;
  /** Events after `number`, oldest first. */
  readAfter(stream: StreamName, number: number, limit: number): readonly StoredEvent[];
  saveSnapshot(stream: StreamName, number: number, text: string): void;
  loadSnapshot(stream: StreamName): { readonly number: number; readonly text: string } | undefined;
  readonly kv: Kv;
  readonly blobs: Blobs;
  /** May be called twice. */
  close(): void;
};
