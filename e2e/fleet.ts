import { type Device, type DeviceServer, type Stack, startDevice, startDeviceServer } from './stack';

/** Device clients on one device server, known to the relay and idle. */
export type TestFleet = {
  readonly server: DeviceServer;
  device(id: string): Device;
  /** Starts a device again after it was killed, with the files it had. */
  startAgain(id: string): void;
  stop(): Promise<void>;
};

export async function startFleet(stack: Stack, ids: readonly string[]): Promise<TestFleet> {
  const server = await startDeviceServer();
  const devices = new Map(ids.map((id) => [id, startDevice({ id, serverUrl: server.url })]));
  for (const id of ids) await stack.api.addDevice({ id, serverUrl: server.url });
  for (const id of ids) await stack.api.untilDevice(id, 'idle');

  const device = (id: string): Device => {
    const found = devices.get(id);
    if (found === undefined) throw new Error(`No device ${id} in this fleet`);
    return found;
  };
  return {
    server,
    device,
    startAgain(id) {
      devices.set(id, startDevice({ id, serverUrl: server.url, root: device(id).root }));
    },
    async stop() {
      await Promise.all([...devices.values()].map((each) => each.stop()));
      await server.stop();
    },
  };
}
