import {
  buildCancelTask,
  buildConstellationRegister,
  buildConstellationTask,
  validateServerMessage,
} from '@/lib/aip/messages';
import { type ClientProtocol, createClientProtocol } from '@/lib/aip/protocol/client-protocol';
import { constellationMetadata } from '@/lib/aip/protocol/registration';
import { asText } from '@/lib/aip/protocol/unreadable-frame';
import { createTimeoutManager, OperationTimeoutError } from '@/lib/aip/resilience/timeout-manager';
import { CONSTELLATION_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import { withinTime } from '@/lib/aip/resilience/wait';
import { createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { ConnectError, type Transport } from '@/lib/aip/transport/transport';
import { err, ok, type Result } from '@/lib/std/result';
import { type OpenLink, startReading } from './constellation-reader';
import type { ConstellationConnection, ConstellationConnectionOptions, OpenFailure } from './constellation-types';
import { createInfoRequests } from './info-requests';
import { limitTimes } from './timed-protocol';
import { toSignal } from './to-signal';

type Opened = { readonly extensions: readonly string[] };

const NOT_OPEN = { code: 'closed', message: 'The link to the device server is not open' } as const;

/** One connection to the server of one device, in the role of a constellation. */
export function createConstellationConnection(options: ConstellationConnectionOptions): ConstellationConnection {
  const { createTransport, clock, logger, clientId, targetId, files } = options;
  const timing = { ...CONSTELLATION_TIMERS, ...options.timing };
  const announced = options.extensions.filter((name) => name !== 'file' || files !== undefined);
  const timeouts = createTimeoutManager({ clock, defaultMs: timing.operationMs });
  const opening = createCancellation();
  let transport: Transport | undefined;
  let protocol: ClientProtocol | undefined;
  let link: OpenLink | undefined;
  let endReason: string | undefined;

  function createProtocol(connected: Transport): ClientProtocol {
    const made = createClientProtocol({
      ...options,
      transport: connected,
      clientType: 'constellation',
      validate: validateServerMessage,
    });
    limitTimes(made, { timeouts, logger });
    return made;
  }

  async function register(speaking: ClientProtocol): Promise<Result<Opened, OpenFailure>> {
    const registration = {
      clientId,
      targetId,
      metadata: constellationMetadata(options.taskName),
      extensions: announced,
    };
    const sent = await speaking.send(buildConstellationRegister(registration, clock.now()));
    if (!sent.ok) return err({ code: 'closed', message: sent.error.message });
    for (;;) {
      const received = await asText(speaking, await speaking.receive());
      if (received.kind === 'closed') {
        const message = `The server closed the connection before it confirmed (code ${received.code})`;
        return err({ code: 'closed', message });
      }
      if (received.kind !== 'message') {
        logger.warn('link-frame-dropped', { targetId, reason: received.kind });
        continue;
      }
      const event = toSignal(received.message, { phase: 'registering', announced });
      if (event.kind === 'registered') return ok({ extensions: event.extensions });
      if (event.kind === 'refused') return err({ code: 'refused', message: event.message });
      logger.debug('link-frame-ignored', { targetId, type: received.message.type });
    }
  }

  async function connect(): Promise<Result<Transport, OpenFailure>> {
    const fresh = createTransport();
    transport = fresh;
    try {
      await timeouts.withTimeout('connecting', fresh.connect(opening.cancellation));
    } catch (cause) {
      if (cause instanceof OperationTimeoutError) {
        fresh.terminate();
        return err({ code: 'connect-failed', message: cause.message });
      }
      if (!(cause instanceof ConnectError)) throw cause;
      const { code, message } = cause;
      return err({ code: code === 'unauthorized' || code === 'invalid-url' ? code : 'connect-failed', message });
    }
    if (!opening.cancellation.isCancelled) return ok(fresh);
    fresh.terminate();
    return err({ code: 'closed', message: 'The connection is no longer wanted' });
  }

  async function connectAndRegister(): Promise<Result<Opened, OpenFailure>> {
    const connected = await connect();
    if (!connected.ok) return connected;
    const fresh = connected.value;
    await options.onConnected?.();
    const speaking = createProtocol(fresh);
    protocol = speaking;
    options.onProtocol?.(speaking);
    const registered = await withinTime(clock, timing.registerMs, register(speaking));
    if (!registered.inTime) {
      fresh.terminate();
      const message = `The server did not confirm the registration within ${timing.registerMs} ms`;
      return err({ code: 'register-timeout', message });
    }
    if (!registered.value.ok) {
      await fresh.close(1000, 'registration refused');
      return registered.value;
    }
    const { extensions } = registered.value.value;
    const isAgreed = extensions.includes('device_info');
    const infoRequests = createInfoRequests({ ...options, timing, send: speaking.send, isAgreed });
    link = { protocol: speaking, extensions, infoRequests };
    startReading(link, { ...options, timing, endReason: () => endReason });
    return registered.value;
  }

  return {
    async open(cancellation = neverCancelled) {
      if (transport) throw new Error('Expected a fresh connection; make a new one for the next time');
      const forget = cancellation.onCancelled(() => opening.cancel());
      opening.cancellation.onCancelled(() => transport?.terminate());
      try {
        return await connectAndRegister();
      } finally {
        forget();
      }
    },
    async sendTask({ sessionId, taskName, request, timeoutSeconds }) {
      if (!link) return err(NOT_OPEN);
      const hasDeadline = link.extensions.includes('deadline');
      const task = { clientId, targetId, sessionId, taskName, request, ...(hasDeadline && { timeoutSeconds }) };
      return link.protocol.send(buildConstellationTask(task, clock.now()));
    },
    async cancelTask(sessionId) {
      if (!link) return err(NOT_OPEN);
      if (!link.extensions.includes('cancel')) {
        const message = 'The device server did not agree to cancelling single tasks; close the connection instead';
        return err({ code: 'not-agreed', message });
      }
      return link.protocol.send(buildCancelTask({ clientId, sessionId }, clock.now()));
    },
    async requestDeviceInfo() {
      if (link) return link.infoRequests.request();
      return { ok: false, reason: NOT_OPEN.code, message: NOT_OPEN.message };
    },
    get extensions() {
      return link?.extensions ?? [];
    },
    get protocol() {
      return protocol;
    },
    get isOpen() {
      return link?.protocol.transport.state === 'connected';
    },
    async close(code, reason) {
      if (!link) opening.cancel();
      endReason ??= reason;
      await transport?.close(code, reason);
    },
  };
}
