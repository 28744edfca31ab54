import { CLOSE } from '@/lib/relay-protocol/close-codes';
import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import type { Sessions } from '@/relay/auth/sessions';
import type { TicketHolder } from '@/relay/auth/tickets';
import { BrowserSession } from './browser-session';
import type { BrowserSocket } from './browser-socket';
import { EventTexts } from './event-texts';
import type { GatewayPorts, GatewaySession, SessionRegistry } from './session-ports';
import { SnapshotTexts } from './snapshot-texts';

const CONNECTIONS_PER_SESSION_MAX = 20;
/** Waves of a drain: all browsers that come back at once would be a storm of our own making. */
const DRAIN_WAVE_SIZE = 100;
const DRAIN_WAVE_MS = 50;
const DRAIN_SPREAD_MS = 5_000;
const DRAIN_MS_MAX = 4_000;

/** All browsers: who reads what, who is signed in, and the good end of them all. */
export type Gateway = {
  accept(socket: BrowserSocket): BrowserSession;
  readonly connectionCount: number;
  /** Says bye to everybody in waves; settles when all sockets are gone. May be called twice. */
  close(): Promise<void>;
};

export function createGateway(ports: Omit<GatewayPorts, 'sessions'> & { readonly sessions: Sessions }): Gateway {
  const { runtime, clock, sessions } = ports;
  const texts = new EventTexts(runtime);
  const snapshots = new SnapshotTexts(runtime);
  const all = new Set<GatewaySession>();
  const readers = new Map<StreamName, Set<GatewaySession>>();
  let closing: Promise<void> | undefined;
  let onEmpty = () => {};

  const registry: SessionRegistry = {
    identified(_session, holder) {
      return holder.sessionId === null || countOf(holder) <= CONNECTIONS_PER_SESSION_MAX;
    },
    reads(session, stream) {
      const known = readers.get(stream) ?? new Set();
      readers.set(stream, known.add(session));
    },
    readsNoMore(session, stream) {
      const known = readers.get(stream);
      known?.delete(session);
      if (known?.size === 0) readers.delete(stream);
    },
    ended(session) {
      all.delete(session);
      if (all.size === 0) onEmpty();
    },
  };

  /** The one who asks is among them. */
  function countOf(holder: TicketHolder): number {
    let count = 0;
    for (const session of all) if (session.holder?.sessionId === holder.sessionId) count += 1;
    return count;
  }

  const stops = [
    runtime.onCommitted((committed) => {
      const heads = new Map<StreamName, Cursor>();
      for (const { position } of committed) heads.set(position.stream, position);
      for (const [stream, { epoch, number }] of heads) {
        for (const session of [...(readers.get(stream) ?? [])]) session.committed(stream, { epoch, number });
      }
    }),
    runtime.onRegister((register) => {
      for (const session of readers.get(register.stream) ?? []) session.registered(register);
    }),
    sessions.onEnded((sessionId) => {
      for (const session of all) {
        if (session.holder?.sessionId === sessionId) session.end({ code: CLOSE.sessionEnded, reason: 'signed out' });
      }
    }),
  ];

  async function drain(): Promise<void> {
    for (const stop of stops) stop();
    const bye = { code: CLOSE.draining, reason: 'the relay stops', afterMs: 500, spreadMs: DRAIN_SPREAD_MS };
    const waiting = [...all];
    const nextWave = () => {
      for (const session of waiting.splice(0, DRAIN_WAVE_SIZE)) session.end(bye);
      if (waiting.length > 0) clock.after(DRAIN_WAVE_MS, nextWave);
    };
    nextWave();
    if (all.size === 0) return;
    await new Promise<void>((resolve) => {
      const stopTimer = clock.after(DRAIN_MS_MAX, resolve);
      onEmpty = () => {
        stopTimer();
        resolve();
      };
    });
  }

  return {
    accept(socket) {
      const session = new BrowserSession({ ...ports, socket, texts, snapshots, registry });
      all.add(session);
      if (closing !== undefined) session.end({ code: CLOSE.draining, reason: 'the relay stops' });
      return session;
    },
    get connectionCount() {
      return all.size;
    },
    close() {
      closing ??= drain();
      return closing;
    },
  };
}
