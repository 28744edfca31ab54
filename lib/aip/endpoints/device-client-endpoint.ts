import { DEVICE_CLIENT_RECONNECTION } from '@/lib/aip/resilience/reconnection-settings';
import { createReconnectionStrategy } from '@/lib/aip/resilience/reconnection-strategy';
import { DEVICE_CLIENT_TIMERS, STOCK_SIZES } from '@/lib/aip/resilience/timer-defaults';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { DeviceClientEndpoint, DeviceClientOptions } from './device-client-types';
import { type DeviceLife, startDeviceLife } from './device-life';
import { createDeviceSelf } from './device-self';
import { createDeviceWork } from './device-work';
import type { Extension } from './extensions';

/** What a device can agree to by itself; files need somebody who takes them. */
const EXTENSIONS_SPOKEN: readonly Extension[] = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'];

/** How long a device that is stopped may take to say that its tasks have ended. */
const FAREWELL_MS = 2_000;

/** A device: connects to its server, serves it, and connects again when a connection is lost. */
export function createDeviceClientEndpoint(options: DeviceClientOptions): DeviceClientEndpoint {
  const { clock, random, logger } = options;
  const timing = { ...DEVICE_CLIENT_TIMERS, ...options.timing };
  const strategy = createReconnectionStrategy({ ...DEVICE_CLIENT_RECONNECTION, ...options.reconnection }, options);
  const { messageBytesMax = STOCK_SIZES.messageBytesMax } = options;
  const work = createDeviceWork({ ...options, timing, messageBytesMax });
  const self = createDeviceSelf(options);
  const spoken: readonly Extension[] = options.files ? [...EXTENSIONS_SPOKEN, 'file'] : EXTENSIONS_SPOKEN;
  const announced = (options.extensions ?? spoken).filter((name) => spoken.includes(name));
  let life: DeviceLife | undefined;
  let stopping: Promise<void> | undefined;

  function begin(): DeviceLife {
    if (life && !life.isOver) return life;
    const begun = startDeviceLife({ ...options, timing, strategy, announced, self, work });
    life = begun;
    return begun;
  }

  async function endLife(ending: DeviceLife) {
    const farewell = work.endTasks({ status: 'failed', error: 'The device is stopping' });
    const told = await withinTime(clock, FAREWELL_MS, farewell);
    if (!told.inTime) logger.warn('device-farewell-late', { afterMs: FAREWELL_MS });
    ending.stop();
    await ending.ended;
  }

  return {
    async start() {
      await stopping;
      await begin().registered;
    },
    async stop() {
      const ending = life;
      if (!ending || ending.isOver) return;
      stopping ??= endLife(ending).finally(() => {
        stopping = undefined;
      });
      await stopping;
    },
    isConnected: () => life?.connection?.protocol.transport.state === 'connected',
    async reconnectDevice() {
      if (stopping) return false;
      if (life && !life.isOver) return life.reconnect();
      return begin().registered.then(
        () => true,
        () => false, // why was told to the log and as a state
      );
    },
    async startTask({ request, taskName }) {
      const said = await life?.connection?.startTask({ request, taskName: taskName ?? random.uuid() });
      return said?.ok ?? false;
    },
    endTask: (sessionId, end) => work.endTask(sessionId, end),
    async waitStopped() {
      await life?.ended;
    },
    get protocol() {
      return life?.connection?.protocol;
    },
  };
}
