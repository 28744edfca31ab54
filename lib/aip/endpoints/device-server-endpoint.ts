import { buildTaskAssignment, validateClientMessage } from '@/lib/aip/messages';
import { createServerProtocol } from '@/lib/aip/protocol/server-protocol';
import { isSafeTaskName } from '@/lib/aip/protocol/task-name';
import { createTimeoutManager } from '@/lib/aip/resilience/timeout-manager';
import { DEVICE_SERVER_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import type { Transport } from '@/lib/aip/transport/transport';
import { err, ok } from '@/lib/std/result';
import type { DeviceServerEndpoint, DeviceServerLimits, DeviceServerOptions } from './device-server-types';
import type { Extension } from './extensions';
import { type ServerConnectionOptions, serveConnection } from './server-connection';
import { createServerDeviceInfo } from './server-device-info';
import { createRegistry } from './server-peer';
import { createPresence } from './server-presence';
import { createLostDevices } from './server-resume';
import { createSessions } from './server-sessions';
import { limitTimes } from './timed-protocol';

/** What this server can agree to; anything else a peer announces is not answered. */
const EXTENSIONS_SPOKEN: readonly Extension[] = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'];
/** The stock client calls a Mac `darwin`; people write `macos`. */
const PLATFORMS_DEFAULT = ['windows', 'linux', 'mobile', 'macos', 'darwin'] as const;
const LIMITS_DEFAULT: DeviceServerLimits = { connectionsMax: 10_000, sessionsPerOwnerMax: 256 };
/** How long a server that stops waits for peers to take the ends of their tasks. */
const FAREWELL_MS = 2_000;

/** A device server: devices and constellations register with it, and its agent drives the devices. */
export function createDeviceServerEndpoint(options: DeviceServerOptions): DeviceServerEndpoint {
  const { clock, random, logger } = options;
  const limits = { ...LIMITS_DEFAULT, ...options.limits };
  const { registry, sessions, presence, connectionOptions } = createParts(options);
  const serving = new Map<Transport, Promise<void>>();
  let isStopping = false;

  async function serve(transport: Transport): Promise<void> {
    try {
      if (isStopping || serving.size >= limits.connectionsMax) {
        logger.warn('connection-refused', { connections: serving.size, isStopping });
        await transport.close(1013, isStopping ? 'the server is stopping' : 'too many connections; try again later');
        return;
      }
      const protocol = createServerProtocol({ validate: validateClientMessage, ...options, transport });
      limitTimes(protocol, connectionOptions);
      options.onProtocol?.(protocol);
      await serveConnection(protocol, connectionOptions);
    } catch (cause) {
      // A fault in serving one connection ends that connection and no other.
      const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      logger.error('connection-failed', { message });
    }
  }

  async function serveAndClose(transport: Transport): Promise<void> {
    await serve(transport);
    if (transport.state !== 'disconnected') await transport.close(1011, 'internal error');
  }

  return {
    async handleWebSocket(transport) {
      const served = serveAndClose(transport).finally(() => serving.delete(transport));
      serving.set(transport, served);
      await served;
    },
    cancelDeviceTasks: (deviceId, reason) => sessions.endAll(reason, deviceId),
    onlineClients: () => registry.ids(),
    async dispatch({ clientId, request, taskName = random.uuid() }) {
      if (request.trim() === '') return err({ code: 'empty-request', message: 'Empty task content' });
      if (clientId === '') return err({ code: 'empty-client-id', message: 'Empty client ID' });
      if (!isSafeTaskName(taskName)) {
        const message =
          'Invalid task_name: expected letters, digits, ".", "_" or "-", not beginning with "."; choose another name';
        return err({ code: 'invalid-task-name', message });
      }
      const peer = registry.get(clientId);
      if (!peer) return err({ code: 'client-offline', message: 'Client not online' });
      if (peer.role !== 'device') return err({ code: 'not-a-device', message: 'Tasks are dispatched to devices only' });
      const sessionId = random.uuid();
      const assignment = { userRequest: request, taskName, sessionId, responseId: random.uuid() };
      const sent = await peer.protocol.send(buildTaskAssignment(assignment, clock.now()));
      if (!sent.ok) return err({ code: 'client-offline', message: 'Client not online' });
      return ok({ taskName, sessionId });
    },
    taskResult: (taskName) => sessions.report(taskName),
    async close() {
      isStopping = true;
      const farewell = sessions.endAll('The device server is stopping');
      await connectionOptions.timeouts.withTimeoutOrNone('telling that tasks end', farewell, FAREWELL_MS);
      presence.stop();
      const open = [...serving];
      await Promise.all(open.map(([transport]) => transport.close(1001, 'the server is stopping')));
      await Promise.all(open.map(([, served]) => served));
    },
  };
}

/** What all connections of one server share. */
function createParts(options: DeviceServerOptions) {
  const { clock, random, logger, agent, files } = options;
  const timing = { ...DEVICE_SERVER_TIMERS, ...options.timing };
  const spoken: readonly Extension[] = files ? [...EXTENSIONS_SPOKEN, 'file'] : EXTENSIONS_SPOKEN;
  const registry = createRegistry();
  const sessions = createSessions({ clock, random, logger, agent, timing });
  const deviceInfo = createServerDeviceInfo({
    clock,
    random,
    registry,
    infoMs: timing.infoMs,
    deviceConfig: options.deviceConfig,
  });
  const lostDevices = createLostDevices({ clock, sessions, resumeMs: timing.resumeMs });
  const presence = createPresence({ logger, registry, sessions, deviceInfo, lostDevices });
  const connectionOptions: ServerConnectionOptions = {
    clock,
    random,
    logger,
    registry,
    sessions,
    deviceInfo,
    presence,
    files,
    timeouts: createTimeoutManager({ clock, defaultMs: timing.operationMs }),
    registerMs: timing.registerMs,
    extensions: (options.extensions ?? spoken).filter((name) => spoken.includes(name)),
    platforms: options.platforms ?? PLATFORMS_DEFAULT,
    sessionsPerOwnerMax: options.limits?.sessionsPerOwnerMax ?? LIMITS_DEFAULT.sessionsPerOwnerMax,
  };
  return { registry, sessions, presence, connectionOptions };
}
