import {
  buildDeviceInfoReport,
  buildDeviceRegister,
  buildDeviceTask,
  buildHeartbeat,
  type ClientMessage,
  isResumed,
  resumeTokenOf,
  type ServerMessage,
  validateServerMessage,
} from '@/lib/aip/messages';
import { isUnwritable } from '@/lib/aip/protocol/aip-protocol';
import { type ClientProtocol, createClientProtocol } from '@/lib/aip/protocol/client-protocol';
import { agreedExtensions, isRegistered } from '@/lib/aip/protocol/registration';
import { readUnreadableCommand } from '@/lib/aip/protocol/unreadable-command';
import { asText, type UnreadableFrame, unreadableBecause } from '@/lib/aip/protocol/unreadable-frame';
import { createHeartbeatManager } from '@/lib/aip/resilience/heartbeat-manager';
import { createTimeoutManager } from '@/lib/aip/resilience/timeout-manager';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { Transport, TransportClosed } from '@/lib/aip/transport/transport';
import { assertNever } from '@/lib/std/assert-never';
import { err, ok, type Result } from '@/lib/std/result';
import type { DeviceClientOptions, DeviceClientTiming, DeviceFileFrames } from './device-client-types';
import { startInfoReports } from './device-info-reports';
import type { DeviceOutlet, Said } from './device-outlet';
import type { DeviceSelf } from './device-self';
import type { DeviceWork } from './device-work';
import { limitTimes } from './timed-protocol';
import { createUserHandlers } from './user-handlers';

export type DeviceConnectionOptions = Pick<
  DeviceClientOptions,
  'clock' | 'random' | 'logger' | 'clientId' | 'platform' | 'middlewares' | 'onProtocol' | 'onManifestChanged' | 'files'
> & {
  readonly timing: DeviceClientTiming;
  readonly announced: readonly string[];
  readonly self: DeviceSelf;
  readonly work: DeviceWork;
};

export type RegisterFailure = {
  readonly code: 'registration-refused' | 'register-timeout' | 'closed';
  readonly message: string;
};

export type Registration = {
  readonly extensions: readonly string[];
  /** For the connection after this one; undefined where `resume` is not agreed. */
  readonly resumeToken: string | undefined;
  /** Whether the server goes on with what the lost connection left. */
  readonly isResumed: boolean;
};

export type DeviceConnection = {
  readonly protocol: ClientProtocol;
  /** @param resumeToken - of the lost connection whose work is kept */
  register(resumeToken: string | undefined): Promise<Result<Registration, RegisterFailure>>;
  /** Serves until the connection ends; a registration must have succeeded. */
  serve(): Promise<TransportClosed>;
  startTask(task: { readonly request: string | undefined; readonly taskName: string }): Promise<Said>;
};

/** One socket of a device client, from REGISTER to its end. */
export function createDeviceConnection(transport: Transport, options: DeviceConnectionOptions): DeviceConnection {
  const { clock, random, logger, clientId, platform, timing, self, work } = options;
  /** The first reply is judged by its status alone, whatever else it is or lacks. */
  let isServing = false;
  const protocol = createClientProtocol({
    ...options,
    transport,
    clientType: 'device',
    validate: (message) => (isServing ? validateServerMessage(message) : undefined),
  });
  limitTimes(protocol, { timeouts: createTimeoutManager({ clock, defaultMs: timing.operationMs }), logger });
  options.onProtocol?.(protocol);
  let extensions: readonly string[] = [];
  const outlet: DeviceOutlet = {
    get extensions() {
      return extensions;
    },
    say,
  };

  const handlers = createUserHandlers<ServerMessage>((received) => protocol.dispatch(received));
  const isOpen = () => protocol.transport.state === 'connected';

  async function say(message: ClientMessage): Promise<Said> {
    try {
      const sent = await protocol.send(message);
      if (!sent.ok) logger.info('device-message-not-sent', { type: message.type, reason: sent.error.code });
      if (sent.ok || !isUnwritable(sent.error)) return sent;
      return err({ code: 'unwritable', message: sent.error.message });
    } catch (cause) {
      // Tools and system information come from elsewhere; what is no JSON after all must not end the device.
      logger.error('device-message-not-sent', { type: message.type, message: String(cause) });
      return err({ code: 'unwritable', message: 'it is no JSON' });
    }
  }

  async function firstReply(): Promise<Result<Registration, RegisterFailure>> {
    const received = await asText(protocol, await protocol.receive());
    if (received.kind === 'closed') {
      const message = `The server closed the connection before it confirmed (code ${received.code})`;
      return err({ code: 'closed', message });
    }
    if (received.kind !== 'message') {
      return err({ code: 'registration-refused', message: 'Expected a confirmation, got a frame that cannot be read' });
    }
    if (!isRegistered(received.message)) {
      return err({
        code: 'registration-refused',
        message: received.message.error ?? 'The server refused without saying why',
      });
    }
    const agreed = agreedExtensions(received.message, options.announced);
    const token = resumeTokenOf(received.message);
    const hasResume = agreed.includes('resume') && token !== undefined;
    return ok({
      extensions: hasResume ? agreed : agreed.filter((name) => name !== 'resume'),
      resumeToken: hasResume ? token : undefined,
      isResumed: hasResume && isResumed(received.message),
    });
  }

  async function reportInfo(prevResponseId?: string) {
    const metadata = extensions.includes('device_info') ? await self.describe() : await self.systemInfo();
    if (!metadata || Object.keys(metadata).length === 0) return;
    await say(buildDeviceInfoReport({ clientId, metadata, prevResponseId }, clock.now()));
  }

  function startTask(task: { readonly request: string | undefined; readonly taskName: string }) {
    return say(buildDeviceTask({ clientId, platform, requestId: random.uuid(), ...task }, clock.now()));
  }

  function handle(message: ServerMessage) {
    switch (message.type) {
      case 'command':
        // Read after the end, and nobody takes the answer: not begun.
        if (isOpen() || extensions.includes('resume')) work.command(message);
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
        work.taskEnded(message.session_id ?? '');
        return;
      case 'heartbeat':
      case 'device_info_response':
        return;
      default:
        assertNever(message.type);
    }
  }

  /** A frame that goes no further. A COMMAND among them is answered all the same: its server waits for hours. */
  function drop(received: UnreadableFrame) {
    const reason = unreadableBecause(received);
    logger.warn('server-frame-dropped', { reason });
    if (received.kind === 'malformed') {
      const command = readUnreadableCommand(received.text);
      if (command) work.refuse(command, failures(command.callIds, `The command cannot be read: ${reason}`));
    } else if (received.kind === 'refused' && received.message.type === 'command') {
      const { actions = [] } = received.message;
      const callIds = actions.map(({ call_id }) => call_id);
      work.refuse(received.message, failures(callIds, `The command was refused: ${reason}`));
    }
  }

  async function serveFrames(heard: () => void, files: DeviceFileFrames | undefined): Promise<TransportClosed> {
    for (;;) {
      const frame = await protocol.receive();
      if (frame.kind !== 'closed') heard();
      if (files && frame.kind !== 'closed' && (await files.take(frame))) continue;
      const received = await asText(protocol, frame);
      if (received.kind === 'closed') return received;
      if (received.kind === 'message') handle(received.message);
      else if (received.kind !== 'custom') drop(received);
      await handlers.run(received);
    }
  }

  return {
    protocol,
    startTask,
    async register(resumeToken) {
      const metadata = await self.describe();
      const registration = { clientId, platform, metadata, extensions: options.announced, resume: resumeToken };
      const asked = say(buildDeviceRegister(registration, clock.now())).then(firstReply);
      const reply = await withinTime(clock, timing.registerMs, asked);
      if (!reply.inTime) {
        const message = `The server did not confirm the registration within ${timing.registerMs} ms`;
        return err({ code: 'register-timeout', message });
      }
      if (reply.value.ok) extensions = reply.value.value.extensions;
      return reply.value;
    },
    async serve() {
      isServing = true;
      const heartbeats = createHeartbeatManager({
        clock,
        logger,
        intervalMs: timing.heartbeatMs,
        deadAfterMs: timing.deadAfterMs,
        isConnected: isOpen,
        isExcused: () => handlers.isFull,
        send: async () => (await say(buildHeartbeat({ clientId, clientType: 'device' }, clock.now()))).ok,
        onDead: (_clientId, silenceMs) => {
          logger.warn('server-silent', { silenceMs });
          protocol.transport.terminate();
        },
      });
      heartbeats.start(clientId);
      const reports = extensions.includes('device_info')
        ? startInfoReports({ clock, ...timing, report: () => void reportInfo() })
        : undefined;
      const files = extensions.includes('file') ? options.files?.(protocol) : undefined;
      let forget: (() => void) | undefined;
      try {
        forget = reports && options.onManifestChanged?.(reports.changed);
        work.attach(outlet);
        return await serveFrames(() => heartbeats.heard(clientId), files);
      } finally {
        heartbeats.stopAll();
        reports?.stop();
        files?.close();
        forget?.();
      }
    },
  };
}

function failures(callIds: readonly (string | undefined)[], error: string) {
  return callIds.map((callId) => ({
    status: 'failure' as const,
    error,
    ...(callId !== undefined && { call_id: callId }),
  }));
}
