import type { AttemptOrder } from './link-host';

export type AttemptKey = Pick<AttemptOrder, 'runId' | 'taskId' | 'attempt'>;

/** Attempts that wait for one device, first come first served. Holds no truth: it is rebuilt from the journal. */
export type AttemptQueue = {
  /** Taken once, however often it is put in. */
  put(order: AttemptOrder): void;
  take(): AttemptOrder | undefined;
  withdraw(key: AttemptKey): boolean;
  takeAll(): readonly AttemptOrder[];
};

export function createAttemptQueue(): AttemptQueue {
  const orders: AttemptOrder[] = [];
  return {
    put(order) {
      if (!orders.some((other) => isSameAttempt(other, order))) orders.push(order);
    },
    take: () => orders.shift(),
    withdraw(key) {
      const index = orders.findIndex((order) => isSameAttempt(order, key));
      if (index >= 0) orders.splice(index, 1);
      return index >= 0;
    },
    takeAll: () => orders.splice(0),
  };
}

export function isSameAttempt(one: AttemptKey, other: AttemptKey): boolean {
  return one.runId === other.runId && one.taskId === other.taskId && one.attempt === other.attempt;
}
