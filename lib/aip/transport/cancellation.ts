/** Word that something is no longer wanted. */
export type Cancellation = {
  readonly isCancelled: boolean;
  /** Told once, and at once when it has happened already. Returns an undo. */
  onCancelled(listener: () => void): () => void;
};

export type CancellationSource = { readonly cancellation: Cancellation; cancel(): void };

export function createCancellation(): CancellationSource {
  const listeners = new Set<() => void>();
  let isCancelled = false;
  const cancellation: Cancellation = {
    get isCancelled() {
      return isCancelled;
    },
    onCancelled(listener) {
      if (isCancelled) {
        listener();
        return () => {};
      }
      const entry = () => listener();
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
  return {
    cancellation,
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}

/** For work that nobody will take back. */
export const neverCancelled: Cancellation = { isCancelled: false, onCancelled: () => () => {} };
