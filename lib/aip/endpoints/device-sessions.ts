import type { ServerMessage } from '@/lib/aip/messages';
import { type CancellationSource, createCancellation } from '@/lib/aip/transport/cancellation';
import type { SessionLog } from './device-log';
import { createResumeRecord, type ResumeRecord } from './device-resume-record';

/** One COMMAND that has come and is not answered yet. */
export type Order = {
  readonly message: ServerMessage;
  /** When its time is over, and how long it was, if the server set a limit. */
  readonly deadline: { readonly atMs: number; readonly seconds: number } | undefined;
  /** The connection that wants the answer; another one once the COMMAND came again. */
  askedBy: object;
};

/** What the device knows of one session: from its first COMMAND to its TASK_END. */
export type DeviceSession = {
  readonly id: string;
  readonly life: CancellationSource;
  readonly log: SessionLog;
  /** Only where a lost connection may be resumed. */
  readonly record: ResumeRecord | undefined;
  readonly orders: Set<Order>;
  /** The end of the last COMMAND: those of one session run in order. */
  last: Promise<void>;
  /** TASK_END has come; nothing is kept longer than the last answer. */
  isOver: boolean;
};

export type DeviceSessions = {
  readonly openOrders: number;
  all(): Iterable<DeviceSession>;
  get(id: string): DeviceSession | undefined;
  /** The session of that id, which begins now if it is not known. */
  open(id: string, isRecorded: boolean): DeviceSession;
  /** Forgets the session if it is over and nothing of it is open. */
  settle(session: DeviceSession): void;
  /** Stops what runs in the session and forgets it. */
  end(session: DeviceSession): void;
  endAll(): void;
};

/** What a device keeps of one session for the case that its connection is lost. */
const RECORD_BYTES_MAX = 1_048_576;
/** A server that never ends its sessions must not fill the memory: of those without work the oldest are forgotten. */
const SESSIONS_MAX = 1_000;

export function createDeviceSessions(createLog: (sessionId: string) => SessionLog): DeviceSessions {
  const sessions = new Map<string, DeviceSession>();

  function openOrders() {
    let count = 0;
    for (const { orders } of sessions.values()) count += orders.size;
    return count;
  }

  function makeRoom() {
    if (sessions.size < SESSIONS_MAX) return;
    for (const session of sessions.values()) {
      if (session.orders.size > 0) continue;
      end(session);
      return;
    }
  }

  function end(session: DeviceSession) {
    session.life.cancel();
    session.log.stop();
    session.orders.clear();
    if (sessions.get(session.id) === session) sessions.delete(session.id);
  }

  return {
    get openOrders() {
      return openOrders();
    },
    all: () => [...sessions.values()],
    get: (id) => sessions.get(id),
    open(id, isRecorded) {
      const known = sessions.get(id);
      if (known) {
        known.isOver = false;
        return known;
      }
      makeRoom();
      const session: DeviceSession = {
        id,
        life: createCancellation(),
        log: createLog(id),
        record: isRecorded ? createResumeRecord(RECORD_BYTES_MAX) : undefined,
        orders: new Set(),
        last: Promise.resolve(),
        isOver: false,
      };
      sessions.set(id, session);
      return session;
    },
    settle(session) {
      if (session.isOver && session.orders.size === 0) end(session);
    },
    end,
    endAll() {
      for (const session of [...sessions.values()]) end(session);
    },
  };
}
