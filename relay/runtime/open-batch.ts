import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { Position, StreamName } from '@/lib/relay-protocol/streams';
import type { Batch, Engine, KvWrite } from '@/relay/engine/engine';
import type { Committed } from './runtime-port';

/** What will be committed together. Only the one writer appends, so an event's position is known before it is on disk. */
export type OpenBatch = {
  readonly openedAtMs: number;
  /** Resolves when all of it is on disk, rejects when none of it is. */
  readonly settled: Promise<void>;
  add(stream: StreamName, event: StreamEvent): Position;
  put(write: KvWrite): void;
  commit(): readonly Committed[];
  fail(cause: unknown): void;
};

export function createOpenBatch(engine: Engine, openedAtMs: number): OpenBatch {
  const committed: Committed[] = [];
  const kv: KvWrite[] = [];
  const added = new Map<StreamName, number>();
  let resolve: () => void = () => {};
  let reject: (cause: unknown) => void = () => {};
  const settled = new Promise<void>((onDisk, lost) => {
    resolve = onDisk;
    reject = lost;
  });
  // Somebody who only tells a fact may not wait for it; a failed commit is told to everybody by other means.
  settled.catch(() => {});
  return {
    openedAtMs,
    settled,
    add(stream, event) {
      const head = engine.head(stream);
      const count = (added.get(stream) ?? 0) + 1;
      added.set(stream, count);
      const position = { stream, epoch: head.epoch, number: head.number + count };
      committed.push({ position, event });
      return position;
    },
    put: (write) => kv.push(write),
    commit() {
      const batch: Batch = { events: committed.map(({ position, event }) => ({ stream: position.stream, event })), kv };
      engine.append(batch);
      resolve();
      return committed;
    },
    fail: (cause) => reject(cause),
  };
}
