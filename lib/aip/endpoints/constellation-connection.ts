import {
  buildConstellationRegister,
  buildConstellationTask,
  buildHeartbeat,
  type ClientMessage,
  parseServerMessage,
  type ServerMessage,
  sessionOfUnreadableEnd,
} from '@/lib/aip/messages';
import { type AipProtocol, createAipProtocol } from '@/lib/aip/protocol/aip-protocol';
import { constellationMetadata } from '@/lib/aip/protocol/registration';
import { createHeartbeatManager, type HeartbeatManager } from '@/lib/aip/resilience/heartbeat-manager';
import { CONSTELLATION_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import { withinTime } from '@/lib/aip/resilience/wait';
import { createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { ConnectError, type Transport } from '@/lib/aip/transport/transport';
import { err, ok, type Result } from '@/lib/std/result';
import type {
  ConstellationConnection,
  ConstellationConnectionOptions,
  LinkSignal,
  OpenFailure,
} from './constellation-types';
import { createInfoRequests, type InfoRequests } from './info-requests';
import { toSignal } from './to-signal';

type Protocol = AipProtocol<ClientMessage, ServerMessage>;

type Link = {
  readonly protocol: Protocol;
  readonly extensions: readonly string[];
  readonly infoRequests: InfoRequests;
};

/** One connection to the server of one device, in the role of a constellation. */
export function createConstellationConnection(options: ConstellationConnectionOptions): ConstellationConnection {
  const { createTransport, clock, logger, clientId, targetId, extensions } = options;
  const timing = { ...CONSTELLATION_TIMERS, ...options.timing };
  const opening = createCancellation();
  let transport: Transport | undefined;
  let link: Link | undefined;
  /** Our own reason for the end, which the peer's side of the socket cannot know. */
  let endReason: string | undefined;
  let isSignalling = false;
  let hasToldEnd = false;

  async function register(protocol: Protocol): Promise<Result<{ extensions: readonly string[] }, OpenFailure>> {
    const metadata = constellationMetadata(options.taskName);
    const sent = await protocol.send(
      buildConstellationRegister({ clientId, targetId, metadata, extensions }, clock.now()),
    );
    if (!sent.ok) return err({ code: 'closed', message: sent.error.message });
    for (;;) {
      const received = await protocol.receive();
      if (received.kind === 'closed') {
        const message = `The server closed the connection before it confirmed (code ${received.code})`;
        return err({ code: 'closed', message });
      }
      if (received.kind !== 'message') {
        logger.warn('link-frame-dropped', { targetId, reason: received.kind });
        continue;
      }
      const event = toSignal(received.message, { phase: 'registering', announced: extensions });
      if (event.kind === 'registered') return ok({ extensions: event.extensions });
      if (event.kind === 'refused') return err({ code: 'refused', message: event.message });
      logger.debug('link-frame-ignored', { targetId, type: received.message.type });
    }
  }

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

  async function handle(open: Link, message: ServerMessage) {
    const event = toSignal(message, { phase: 'open', extensions: open.extensions });
    switch (event.kind) {
      case 'info-answered':
        open.infoRequests.answer(event.requestId, event.answer);
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

  async function readToTheEnd(open: Link, heartbeats: HeartbeatManager) {
    for (;;) {
      const received = await open.protocol.receive();
      if (received.kind === 'closed') {
        heartbeats.stopAll();
        await tellEnd(received.code, endReason ?? received.reason);
        return;
      }
      heartbeats.heard(clientId);
      await signal({ kind: 'heard', atMs: clock.now() });
      if (received.kind === 'message') await handle(open, received.message);
      else if (received.kind === 'malformed') {
        const { message } = received.error;
        logger.warn('link-frame-dropped', { targetId, reason: message });
        const sessionId = sessionOfUnreadableEnd(received.text);
        if (sessionId !== undefined) await signal({ kind: 'task-unreadable', sessionId, message });
      } else logger.warn('link-frame-dropped', { targetId, reason: received.kind });
      heartbeats.heard(clientId);
    }
  }

  function start(open: Link) {
    const heartbeats = createHeartbeatManager({
      clock,
      logger,
      intervalMs: timing.heartbeatMs,
      deadAfterMs: timing.deadAfterMs,
      isConnected: () => open.protocol.transport.state === 'connected',
      send: async () => {
        const message = buildHeartbeat({ clientId, clientType: 'constellation' }, clock.now());
        const sent = await open.protocol.send(message);
        return sent.ok;
      },
      onDead: (_clientId, silenceMs) => {
        endReason = `No message for ${Math.round(silenceMs / 1000)} s`;
        open.protocol.transport.terminate();
      },
      isExcused: () => isSignalling,
    });
    heartbeats.start(clientId);
    void open.protocol.transport.waitClosed().then(() => {
      heartbeats.stopAll();
      open.infoRequests.failAll('closed', 'The connection to the device server has ended');
    });
    readToTheEnd(open, heartbeats)
      .catch(async (cause: unknown) => {
        logHandlerFault(cause);
        await open.protocol.transport.close(1011, 'internal error');
        await tellEnd(1011, 'internal error');
      })
      .catch(logHandlerFault);
  }

  function logHandlerFault(cause: unknown) {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    logger.error('link-handler-failed', { targetId, message });
  }

  async function connectAndRegister(): Promise<Result<{ extensions: readonly string[] }, OpenFailure>> {
    const fresh = createTransport();
    transport = fresh;
    try {
      await fresh.connect(opening.cancellation);
    } catch (cause) {
      if (!(cause instanceof ConnectError)) throw cause;
      return err({ code: cause.code === 'unauthorized' ? 'unauthorized' : 'connect-failed', message: cause.message });
    }
    if (opening.cancellation.isCancelled) {
      fresh.terminate();
      return err({ code: 'closed', message: 'The connection is no longer wanted' });
    }
    await options.onConnected?.();
    const protocol: Protocol = createAipProtocol({ transport: fresh, parse: parseServerMessage, logger });
    const registered = await withinTime(clock, timing.registerMs, register(protocol));
    if (!registered.inTime) {
      fresh.terminate();
      const message = `The server did not confirm the registration within ${timing.registerMs} ms`;
      return err({ code: 'register-timeout', message });
    }
    if (!registered.value.ok) {
      await fresh.close(1000, 'registration refused');
      return registered.value;
    }
    const infoRequests = createInfoRequests({
      ...options,
      timing,
      send: protocol.send,
      isAgreed: registered.value.value.extensions.includes('device_info'),
    });
    link = { protocol, extensions: registered.value.value.extensions, infoRequests };
    start(link);
    return registered.value;
  }

  return {
    async open(cancellation = neverCancelled) {
      if (transport) throw new Error('Expected a fresh endpoint; make a new one for the next connection');
      const forget = cancellation.onCancelled(() => opening.cancel());
      opening.cancellation.onCancelled(() => transport?.terminate());
      try {
        return await connectAndRegister();
      } finally {
        forget();
      }
    },
    async sendTask(task) {
      if (!link) return err({ code: 'closed', message: 'The link to the device server is not open' });
      const hasDeadline = task.timeoutSeconds !== undefined && link.extensions.includes('deadline');
      const message = buildConstellationTask(
        {
          clientId,
          targetId,
          sessionId: task.sessionId,
          taskName: task.taskName,
          request: task.request,
          ...(hasDeadline && { metadata: { timeout_seconds: task.timeoutSeconds ?? 0 } }),
        },
        clock.now(),
      );
      return link.protocol.send(message);
    },
    async requestDeviceInfo() {
      if (link) return link.infoRequests.request();
      return { ok: false, reason: 'closed', message: 'The link to the device server is not open' };
    },
    async close(code, reason) {
      if (!link) opening.cancel();
      endReason ??= reason;
      await transport?.close(code, reason);
    },
  };
}
