import type { StreamName } from '@/lib/relay-protocol/streams';
import type { CancelTimer, Clock } from '@/lib/std/clock';

/** A view that is left and opened again within this time finds its stream still there. */
const LINGER_MS = 15_000;

export type SubscriptionEvents = {
  onFirst(stream: StreamName): void;
  onLast(stream: StreamName): void;
};

/** Counts who looks at which stream. */
export type Subscriptions = {
  /** @returns ends it; may be called twice */
  add(stream: StreamName): () => void;
  streams(): readonly StreamName[];
  close(): void;
};

export function createSubscriptions(clock: Clock, events: SubscriptionEvents): Subscriptions {
  const counts = new Map<StreamName, number>();
  const lingering = new Map<StreamName, CancelTimer>();

  function drop(stream: StreamName): void {
    lingering.delete(stream);
    counts.delete(stream);
    events.onLast(stream);
  }

  return {
    add(stream) {
      const count = counts.get(stream);
      counts.set(stream, (count ?? 0) + 1);
      lingering.get(stream)?.();
      lingering.delete(stream);
      if (count === undefined) events.onFirst(stream);
      let isEnded = false;
      return () => {
        if (isEnded) return;
        isEnded = true;
        const left = (counts.get(stream) ?? 1) - 1;
        counts.set(stream, left);
        if (left === 0)
          lingering.set(
            stream,
            clock.after(LINGER_MS, () => drop(stream)),
          );
      };
    },
    streams: () => [...counts.keys()],
    close() {
      for (const cancel of lingering.values()) cancel();
      lingering.clear();
      counts.clear();
    },
  };
}
