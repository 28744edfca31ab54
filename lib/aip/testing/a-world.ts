import { createConstellationEndpoint } from '@/lib/aip/endpoints/constellation-endpoint';
import type {
  ConstellationEndpointOptions,
  ConstellationEvent,
} from '@/lib/aip/endpoints/constellation-endpoint-types';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import type { DeviceClientOptions } from '@/lib/aip/endpoints/device-client-types';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { DeviceServerOptions } from '@/lib/aip/endpoints/device-server-types';
import { createMemoryPort } from '@/lib/aip/transport/memory-transport';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { createFakeClock, settle } from './fake-clock';
import { createFakeRandom } from './fake-random';
import { standInAgent } from './stand-in-agent';

export type World = Awaited<ReturnType<typeof aWorld>>;

/** One server, devices on it and a constellation that is connected to all of them, in one process and on one clock. */
export async function aWorld(
  options: {
    readonly server?: Partial<DeviceServerOptions>;
    readonly constellation?: Partial<ConstellationEndpointOptions>;
    /** By their ids; one named `dev-1`, by default. */
    readonly devices?: { readonly [id: string]: Partial<DeviceClientOptions> };
  } = {},
) {
  const clock = createFakeClock();
  const ports = { clock, random: createFakeRandom(), logger: silentLogger };
  const server = createDeviceServerEndpoint({ ...ports, agent: standInAgent, ...options.server });
  const connect = createMemoryPort((far) => void server.handleWebSocket(far));
  const sockets = new Map<string, Transport[]>();
  const events: ConstellationEvent[] = [];

  function socketFor(name: string): Transport {
    const transport = connect();
    sockets.set(name, [...(sockets.get(name) ?? []), transport]);
    return transport;
  }

  const devices = new Map(
    Object.entries(options.devices ?? { 'dev-1': {} }).map(([id, more]) => {
      const device = createDeviceClientEndpoint({
        ...ports,
        createTransport: () => socketFor(id),
        clientId: id,
        platform: 'linux',
        systemInfo: async () => ({ platform: 'linux', hostname: id }),
        execute: async ({ tool_name: tool }) => ({ status: 'success', result: tool }),
        reconnection: { jitter: 0, initialBackoffMs: 1_000 },
        ...more,
      });
      return [id, device] as const;
    }),
  );
  const constellation = createConstellationEndpoint({
    ...ports,
    taskName: 'run-1',
    createTransport: (_serverUrl, deviceId) => socketFor(`constellation of ${deviceId}`),
    reconnection: { jitter: 0 },
    onEvent: (event) => {
      events.push(event);
    },
    ...options.constellation,
  });
  for (const device of devices.values()) await device.start();
  for (const id of devices.keys()) {
    const connected = await constellation.connectToDevice(id, 'memory:');
    if (!connected.ok) throw new Error(connected.error.message);
  }
  await settle();

  return {
    clock,
    server,
    constellation,
    events,
    device(id = 'dev-1') {
      const device = devices.get(id);
      if (!device) throw new Error(`Expected a device ${id}`);
      return device;
    },
    /** Those that were made for a device, or for the constellation's link to one. */
    sockets: (name: string) => sockets.get(name) ?? [],
    cut: (name: string) => sockets.get(name)?.at(-1)?.terminate(),
    async stop() {
      await constellation.close();
      for (const device of devices.values()) await device.stop();
      await server.close();
    },
  };
}
