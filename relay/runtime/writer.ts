import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { Position, StreamName } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { Engine, KvWrite } from '@/relay/engine/engine';
import { createOpenBatch, type OpenBatch } from './open-batch';
import type { Committed } from './runtime-port';

/** Under load a batch is closed after this long, even if the loop never becomes idle. */
const BATCH_AGE_MS_MAX = 1;

export type Writer = {
  /** Adds to the open batch. The position counts once the batch is committed. */
  add(stream: StreamName, event: StreamEvent): Position;
  put(write: KvWrite): void;
  /** Resolves when everything that was added so far is on disk. */
  settled(): Promise<void>;
  /** Called after each input, so that a busy loop does not hold the answers back. */
  closeIfOld(): void;
  /** Commits now. */
  flush(): void;
  readonly isAlive: boolean;
};

export type WriterOptions = {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'now'>;
  /** Runs a step when the loop has nothing else to do. */
  readonly whenIdle: (step: () => void) => void;
  /** Adds what belongs to the batch and is only known at its end. */
  readonly beforeCommit: () => void;
  readonly afterCommit: (committed: readonly Committed[]) => void;
  /** The disk said no: nothing of the batch is stored, and the writer takes no more. */
  readonly onFailure: (cause: unknown) => void;
};

/** Group commit: what comes in while the loop is busy shares one flush to disk. */
export function createWriter(options: WriterOptions): Writer {
  const { engine, clock, whenIdle, beforeCommit, afterCommit, onFailure } = options;
  let batch: OpenBatch | undefined;
  let failure: { readonly cause: unknown } | undefined;
  let isCommitting = false;

  function open(): OpenBatch {
    if (failure !== undefined) throw failure.cause;
    if (batch !== undefined) return batch;
    batch = createOpenBatch(engine, clock.now());
    whenIdle(flush);
    return batch;
  }

  function fail(cause: unknown): void {
    if (failure !== undefined) return;
    failure = { cause };
    const lost = batch;
    batch = undefined;
    lost?.fail(cause);
    onFailure(cause);
  }

  /** @throws EngineError, after the failure was handled */
  function guarded<Value>(step: () => Value): Value {
    try {
      return step();
    } catch (cause) {
      fail(cause);
      throw cause;
    }
  }

  function flush(): void {
    if (batch === undefined || isCommitting) return;
    isCommitting = true;
    try {
      beforeCommit();
      const full = batch;
      const committed = full.commit();
      batch = undefined;
      afterCommit(committed);
    } catch (cause) {
      fail(cause);
    } finally {
      isCommitting = false;
    }
  }

  return {
    add: (stream, event) => {
      const into = open();
      return guarded(() => into.add(stream, event));
    },
    put: (write) => open().put(write),
    settled: () => batch?.settled ?? (failure === undefined ? Promise.resolve() : Promise.reject(failure.cause)),
    closeIfOld() {
      if (batch !== undefined && clock.now() - batch.openedAtMs >= BATCH_AGE_MS_MAX) flush();
    },
    flush,
    get isAlive() {
      return failure === undefined;
    },
  };
}
