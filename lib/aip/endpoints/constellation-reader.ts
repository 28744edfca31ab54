import { buildHeartbeat, type ServerMessage, sessionOfUnreadableEnd } from '@/lib/aip/messages';
import type { Received } from '@/lib/aip/protocol/aip-protocol';
import type { ClientProtocol } from '@/lib/aip/protocol/client-protocol';
import { asText, type UnreadableFrame, unreadableBecause } from '@/lib/aip/protocol/unreadable-frame';
import { createHeartbeatManager, type HeartbeatManager } from '@/lib/aip/resilience/heartbeat-manager';
import type { ConstellationConnectionOptions, ConstellationTiming, LinkSignal } from './constellation-types';
import type { InfoRequests } from './info-requests';
import { toSignal } from './to-signal';
import { createUserHandlers } from './user-handlers';

/** A registered connection. */
export type OpenLink = {
  readonly protocol: ClientProtocol;
  readonly extensions: readonly string[];
  readonly infoRequests: InfoRequests;
};

export type ReaderOptions = Pick<
  ConstellationConnectionOptions,
  'clock' | 'logger' | 'clientId' | 'targetId' | 'onSignal' | 'files'
> & {
  readonly timing: ConstellationTiming;
  /** Our own reason for the end, which the peer's side of the socket cannot know. */
  readonly endReason: () => string | undefined;
};

type Incoming = Received<ServerMessage>;

/** Reads a registered connection to its end, turns what comes into signals, and beats meanwhile. */
export function startReading(link: OpenLink, options: ReaderOptions): void {
  const { clock, logger, timing, clientId, targetId } = options;
  const { protocol, extensions, infoRequests } = link;
  const files = extensions.includes('file') ? options.files?.(protocol) : undefined;
  let deathReason: string | undefined;
  let isSignalling = false;
  let hasToldEnd = false;
  const handlers = createUserHandlers<ServerMessage>((received) => protocol.dispatch(received));

  async function signal(next: LinkSignal) {
    isSignalling = true;
    try {
      await options.onSignal(next);
    } finally {
      isSignalling = false;
    }
  }

  async function tellEnd(code: number, reason: string) {
    if (hasToldEnd) return;
    hasToldEnd = true;
    await signal({ kind: 'closed', code, reason });
  }

  async function handle(message: ServerMessage) {
    const event = toSignal(message, { phase: 'open', extensions });
    switch (event.kind) {
      case 'info-answered':
        infoRequests.answer(event.requestId, event.answer);
        return;
      case 'registered':
      case 'alive':
        return;
      case 'ignored':
        logger.debug('link-frame-ignored', { targetId, type: message.type, why: event.why });
        return;
      default:
        await signal(event);
    }
  }

  /** A frame that goes no further. Where it can be told which task it ends, its owner need not wait for its time limit. */
  async function drop(received: UnreadableFrame) {
    const reason = unreadableBecause(received);
    logger.warn('link-frame-dropped', { targetId, reason });
    const sessionId = received.kind === 'malformed' ? sessionOfUnreadableEnd(received.text) : refusedEnd(received);
    if (sessionId !== undefined) await signal({ kind: 'task-unreadable', sessionId, message: reason });
  }

  async function readToTheEnd(heartbeats: HeartbeatManager) {
    for (;;) {
      const frame = await protocol.receive();
      if (frame.kind === 'closed') {
        heartbeats.stopAll();
        await tellEnd(frame.code, deathReason ?? options.endReason() ?? frame.reason);
        return;
      }
      heartbeats.heard(clientId);
      await signal({ kind: 'heard', atMs: clock.now() });
      if (files && (await files.take(frame))) continue;
      const received = await asText(protocol, frame);
      if (received.kind === 'message') await handle(received.message);
      else if (received.kind !== 'custom' && received.kind !== 'closed') await drop(received);
      await handlers.run(received);
      heartbeats.heard(clientId);
    }
  }

  const heartbeats = createHeartbeatManager({
    clock,
    logger,
    intervalMs: timing.heartbeatMs,
    deadAfterMs: timing.deadAfterMs,
    isConnected: () => protocol.transport.state === 'connected',
    send: async () => {
      const message = buildHeartbeat({ clientId, clientType: 'constellation' }, clock.now());
      return (await protocol.send(message)).ok;
    },
    onDead: (_clientId, silenceMs) => {
      deathReason = `No message for ${Math.round(silenceMs / 1000)} s`;
      protocol.transport.terminate();
    },
    isExcused: () => isSignalling || handlers.isFull,
  });

  function logFault(cause: unknown) {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    logger.error('link-handler-failed', { targetId, message });
  }

  heartbeats.start(clientId);
  void protocol.transport.waitClosed().then(() => {
    heartbeats.stopAll();
    infoRequests.failAll('closed', 'The connection to the device server has ended');
  });
  readToTheEnd(heartbeats)
    .catch(async (cause: unknown) => {
      logFault(cause);
      await protocol.transport.close(1011, 'internal error');
      await tellEnd(1011, 'internal error');
    })
    .catch(logFault)
    .finally(() => files?.close());
}

/** A middleware may let the end of a task go no further; its task is over on the device all the same. */
function refusedEnd(received: Incoming): string | undefined {
  if (received.kind !== 'refused' || received.message.type !== 'task_end') return undefined;
  const { session_id: sessionId } = received.message;
  return sessionId?.trim() ? sessionId : undefined;
}
