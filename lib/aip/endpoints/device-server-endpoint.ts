import { buildTaskAssignment, parseClientMessage } from '@/lib/aip/messages';
import { createAipProtocol } from '@/lib/aip/protocol/aip-protocol';
import { isSafeTaskName } from '@/lib/aip/protocol/task-name';
import { DEVICE_SERVER_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import type { Transport } from '@/lib/aip/transport/transport';
import { err, ok } from '@/lib/std/result';
import type { DeviceServerEndpoint, DeviceServerOptions } from './device-server-types';
import { serveConnection } from './server-connection';
import { createServerDeviceInfo } from './server-device-info';
import { createRegistry, type ServerProtocol } from './server-peer';
import { createSessions } from './server-sessions';

/** What this server can agree to; anything else a peer announces is not answered. */
const EXTENSIONS_SPOKEN = ['device_info'] as const;
/** The stock client calls a Mac `darwin`; people write `macos`. */
const PLATFORMS_DEFAULT = ['windows', 'linux', 'mobile', 'macos', 'darwin'] as const;

/** A device server: devices and constellations register with it, and its agent drives the devices. */
export function createDeviceServerEndpoint(options: DeviceServerOptions): DeviceServerEndpoint {
  const { clock, random, logger, agent, platforms = PLATFORMS_DEFAULT } = options;
  const timing = { ...DEVICE_SERVER_TIMERS, ...options.timing };
  const extensions = (options.extensions ?? EXTENSIONS_SPOKEN).filter((name) =>
    EXTENSIONS_SPOKEN.some((spoken) => spoken === name),
  );
  const registry = createRegistry();
  const sessions = createSessions({ clock, random, logger, agent, commandMs: timing.commandMs });
  const deviceInfo = createServerDeviceInfo({ clock, random, registry, infoMs: timing.infoMs });
  const serving = new Map<Transport, Promise<void>>();
  const connectionOptions = {
    clock,
    random,
    logger,
    registry,
    sessions,
    deviceInfo,
    registerMs: timing.registerMs,
    extensions,
    platforms,
  };

  async function serve(transport: Transport): Promise<void> {
    const protocol: ServerProtocol = createAipProtocol({ transport, parse: parseClientMessage, logger });
    try {
      await serveConnection(protocol, connectionOptions);
    } catch (cause) {
      // A fault in serving one connection ends that connection and no other.
      const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      logger.error('connection-failed', { message });
    } finally {
      if (transport.state !== 'disconnected') await transport.close(1011, 'internal error');
      serving.delete(transport);
    }
  }

  return {
    accept(transport) {
      const served = serve(transport);
      serving.set(transport, served);
      return served;
    },
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
      const open = [...serving];
      await Promise.all(open.map(([transport]) => transport.close(1001, 'the server is stopping')));
      await Promise.all(open.map(([, served]) => served));
    },
  };
}
