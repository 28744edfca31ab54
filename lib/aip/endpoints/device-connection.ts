import {
  buildCommandResults,
  buildDeviceInfoReport,
  buildDeviceRegister,
  buildDeviceTask,
  buildHeartbeat,
  type ClientMessage,
  parseServerMessage,
  type ServerMessage,
} from '@/lib/aip/messages';
import { type AipProtocol, createAipProtocol } from '@/lib/aip/protocol/aip-protocol';
import { agreedExtensions, isRegistered } from '@/lib/aip/protocol/registration';
import { runActions } from '@/lib/aip/protocol/run-actions';
import { createHeartbeatManager } from '@/lib/aip/resilience/heartbeat-manager';
import { withinTime } from '@/lib/aip/resilience/wait';
import { type CancellationSource, createCancellation } from '@/lib/aip/transport/cancellation';
import type { Transport, TransportClosed } from '@/lib/aip/transport/transport';
import { assertNever } from '@/lib/std/assert-never';
import type { JsonObject } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import type { DeviceClientOptions, DeviceClientTiming } from './device-client-types';

export type DeviceConnectionOptions = DeviceClientOptions & {
  readonly announced: readonly string[];
  readonly timing: DeviceClientTiming;
};

export type RegisterFailure = {
  readonly code: 'refused' | 'register-timeout' | 'closed';
  readonly message: string;
};

export type DeviceConnection = {
  register(): Promise<Result<{ readonly extensions: readonly string[] }, RegisterFailure>>;
  /** Serves until the connection ends; a registration must have succeeded. */
  serve(): Promise<TransportClosed>;
  startTask(task: { readonly request: string | undefined; readonly taskName: string }): Promise<boolean>;
};

/** How long the device may take to say what it is; a server is told that much sooner than it gives up waiting. */
const SYSTEM_INFO_MS = 8_000;

/** One socket of a device client, from REGISTER to its end. Nothing of it lives on in the next one. */
export function createDeviceConnection(transport: Transport, options: DeviceConnectionOptions): DeviceConnection {
  const { clock, random, logger, clientId, platform, timing } = options;
  const protocol: AipProtocol<ClientMessage, ServerMessage> = createAipProtocol({
    transport,
    parse: parseServerMessage,
    logger,
  });
  const life: CancellationSource = createCancellation();
  /** The last COMMAND of each session: those of one session run in order, those of different ones side by side. */
  const running = new Map<string, Promise<void>>();
  let extensions: readonly string[] = [];
  void transport.waitClosed().then(() => life.cancel());

  async function say(message: ClientMessage): Promise<boolean> {
    try {
      const sent = await protocol.send(message);
      if (!sent.ok) logger.info('device-message-not-sent', { type: message.type, reason: sent.error.code });
      return sent.ok;
    } catch (cause) {
      // Tools and system information come from elsewhere; what is no JSON after all must not end the device.
      logger.error('device-message-not-sent', { type: message.type, message: String(cause) });
      return false;
    }
  }

  async function currentInfo(): Promise<JsonObject | undefined> {
    try {
      const info = await withinTime(clock, SYSTEM_INFO_MS, options.systemInfo());
      if (info.inTime) return info.value;
      logger.warn('system-info-failed', { message: `Not collected within ${SYSTEM_INFO_MS} ms` });
    } catch (cause) {
      // A device that cannot describe itself is still of use.
      logger.warn('system-info-failed', { message: cause instanceof Error ? cause.message : String(cause) });
    }
    return undefined;
  }

  async function reportInfo(prevResponseId?: string) {
    const info = await currentInfo();
    if (!info) return;
    const metadata = extensions.includes('device_info') ? { system_info: info } : info;
    await say(buildDeviceInfoReport({ clientId, metadata, prevResponseId }, clock.now()));
  }

  async function firstReply(): Promise<Result<{ readonly extensions: readonly string[] }, RegisterFailure>> {
    const received = await protocol.receive();
    if (received.kind === 'closed') {
      const message = `The server closed the connection before it confirmed (code ${received.code})`;
      return err({ code: 'closed', message });
    }
    if (received.kind !== 'message') {
      return err({ code: 'refused', message: 'Expected a confirmation, got a frame that cannot be read' });
    }
    if (!isRegistered(received.message)) {
      return err({ code: 'refused', message: received.message.error ?? 'The server refused without saying why' });
    }
    return ok({ extensions: agreedExtensions(received.message, options.announced) });
  }

  async function runCommand(message: ServerMessage) {
    const context = {
      sessionId: message.session_id ?? '',
      agentName: message.agent_name,
      cancellation: life.cancellation,
    };
    const results = await runActions(
      message.actions ?? [],
      (command) => options.execute(command, context),
      life.cancellation,
    );
    // An answer belongs to the connection that asked; on the next one it would be a stranger's.
    if (life.cancellation.isCancelled) return;
    const answer = {
      clientId,
      requestId: random.uuid(),
      status: message.status,
      sessionId: message.session_id,
      prevResponseId: message.response_id,
      results,
    };
    await say(buildCommandResults(answer, clock.now()));
  }

  function enqueueCommand(message: ServerMessage) {
    const key = message.session_id ?? '';
    const before = running.get(key) ?? Promise.resolve();
    const work = before
      .then(() => runCommand(message))
      .catch((cause: unknown) => {
        logger.error('command-failed', { message: cause instanceof Error ? (cause.stack ?? '') : String(cause) });
      })
      .finally(() => {
        if (running.get(key) === work) running.delete(key);
      });
    running.set(key, work);
  }

  function startTask(task: { readonly request: string | undefined; readonly taskName: string }) {
    return say(buildDeviceTask({ clientId, platform, requestId: random.uuid(), ...task }, clock.now()));
  }

  function handle(message: ServerMessage) {
    switch (message.type) {
      case 'command':
        enqueueCommand(message);
        return;
      case 'task':
        void startTask({ request: message.user_request, taskName: message.task_name || random.uuid() });
        return;
      case 'device_info_request':
        void reportInfo(message.response_id);
        return;
      case 'error':
        logger.warn('server-error', { message: message.error ?? 'without text' });
        return;
      case 'task_end':
        logger.info('task-ended', { sessionId: message.session_id ?? '', status: message.status });
        return;
      case 'heartbeat':
      case 'device_info_response':
        return;
      default:
        assertNever(message.type);
    }
  }

  return {
    async register() {
      const info = await currentInfo();
      const metadata = info ? { system_info: info } : {};
      const registration = { clientId, platform, metadata, extensions: options.announced };
      await say(buildDeviceRegister(registration, clock.now()));
      const reply = await withinTime(clock, timing.registerMs, firstReply());
      if (!reply.inTime) {
        const message = `The server did not confirm the registration within ${timing.registerMs} ms`;
        return err({ code: 'register-timeout', message });
      }
      if (reply.value.ok) extensions = reply.value.value.extensions;
      return reply.value;
    },
    async serve() {
      const heartbeats = createHeartbeatManager({
        clock,
        logger,
        intervalMs: timing.heartbeatMs,
        deadAfterMs: timing.deadAfterMs,
        isConnected: () => transport.state === 'connected',
        send: () => say(buildHeartbeat({ clientId, clientType: 'device' }, clock.now())),
        onDead: (_clientId, silenceMs) => {
          logger.warn('server-silent', { silenceMs });
          transport.terminate();
        },
      });
      heartbeats.start(clientId);
      const stopReports = extensions.includes('device_info')
        ? clock.every(timing.infoReportMs, () => void reportInfo())
        : () => {};
      void transport.waitClosed().then(() => {
        heartbeats.stopAll();
        stopReports();
      });
      for (;;) {
        const received = await protocol.receive();
        if (received.kind === 'closed') return received;
        heartbeats.heard(clientId);
        if (received.kind === 'message') handle(received.message);
        else {
          const reason = received.kind === 'malformed' ? received.error.message : received.kind;
          logger.warn('server-frame-dropped', { reason });
        }
      }
    },
    startTask,
  };
}
