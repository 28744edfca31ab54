import { CONSTELLATION_RECONNECTION } from '@/lib/aip/resilience/reconnection-settings';
import { createReconnectionStrategy } from '@/lib/aip/resilience/reconnection-strategy';
import { CONSTELLATION_ENDPOINT_TIMERS, CONSTELLATION_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import { err } from '@/lib/std/result';
import { type ConstellationDevice, startConstellationDevice } from './constellation-device';
import type {
  ConstellationEndpoint,
  ConstellationEndpointOptions,
  ConstellationEvent,
} from './constellation-endpoint-types';
import { failure, toOutcome } from './constellation-outcome';
import type { Extension } from './extensions';

/** What a constellation can agree to by itself; files need somebody who takes them. */
const EXTENSIONS_SPOKEN: readonly Extension[] = ['device_info', 'log', 'cancel', 'deadline'];

/** A constellation: keeps one connection to each of its devices, and gives each its tasks one after another. */
export function createConstellationEndpoint(options: ConstellationEndpointOptions): ConstellationEndpoint {
  const { logger, random } = options;
  const timing = { ...CONSTELLATION_TIMERS, ...CONSTELLATION_ENDPOINT_TIMERS, ...options.timing };
  const strategy = createReconnectionStrategy({ ...CONSTELLATION_RECONNECTION, ...options.reconnection }, options);
  const spoken: readonly Extension[] = options.files ? [...EXTENSIONS_SPOKEN, 'file'] : EXTENSIONS_SPOKEN;
  const extensions = (options.extensions ?? spoken).filter((name) => spoken.includes(name));
  const devices = new Map<string, ConstellationDevice>();
  let isClosed = false;

  /** A listener's fault is its own: devices come back whoever listens. */
  function tell(event: ConstellationEvent) {
    const complain = (cause: unknown) =>
      logger.error('constellation-listener-failed', { event: event.kind, message: String(cause) });
    try {
      options.onEvent?.(event)?.catch(complain);
    } catch (cause) {
      complain(cause);
    }
  }

  function start(deviceId: string, serverUrl: string): ConstellationDevice {
    const device: ConstellationDevice = startConstellationDevice({
      ...options,
      deviceId,
      serverUrl,
      timing,
      extensions,
      strategy,
      tell,
      onOver() {
        if (devices.get(deviceId) === device) devices.delete(deviceId);
      },
    });
    devices.set(deviceId, device);
    return device;
  }

  async function letGo(deviceId: string) {
    const device = devices.get(deviceId);
    devices.delete(deviceId);
    await device?.stop('The device was disconnected by this side');
  }

  return {
    async connectToDevice(deviceId, serverUrl, { operatorSettings } = {}) {
      if (isClosed) return err({ code: 'closed', message: 'The constellation is closed; make a new one' });
      if (deviceId.trim() === '')
        return err({ code: 'invalid-device', message: 'Expected the id of a device, got none' });
      const present = devices.get(deviceId);
      if (present && present.serverUrl !== serverUrl) {
        const message = `The device ${deviceId} is in use under another address; disconnect it first`;
        return err({ code: 'other-address', message });
      }
      const device = present ?? start(deviceId, serverUrl);
      if (operatorSettings) device.setOperatorSettings(operatorSettings);
      return device.whenReady();
    },
    async sendTaskToDevice(deviceId, task) {
      const device = devices.get(deviceId);
      if (device) return device.tasks.add(task);
      const names = { deviceId, taskId: task.taskId ?? random.uuid(), sessionId: '' };
      const error = `Expected a device that is connected, ${deviceId} is not; call connectToDevice first`;
      return toOutcome(names, failure('device_disconnection', error));
    },
    async cancelTask(deviceId, taskId) {
      const device = devices.get(deviceId);
      if (device) return device.tasks.cancel(taskId);
      return err({ code: 'unknown-task', message: `The device ${deviceId} is not connected and has no tasks` });
    },
    async requestDeviceInfo(deviceId) {
      const device = devices.get(deviceId);
      return (
        device?.requestInfo() ?? { ok: false, reason: 'closed', message: `The device ${deviceId} is not connected` }
      );
    },
    profileOf: (deviceId) => devices.get(deviceId)?.profile,
    disconnectDevice: letGo,
    isDeviceConnected: (deviceId) => devices.get(deviceId)?.isConnected ?? false,
    async close() {
      isClosed = true;
      await Promise.all([...devices.keys()].map(letGo));
    },
  };
}
