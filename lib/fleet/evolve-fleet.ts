import { assertNever } from '@/lib/std/assert-never';
import type { DeviceId } from '@/lib/std/ids';
import { type Device, type DeviceProfile, EMPTY_FLEET, type Fleet, type InfoRefresh, takesWork } from './device';
import type { FleetEvent } from './events';

/**
 * Folds events into the fleet, with one copy of the map. Holds no rule and reads no clock; devices that no event names
 * keep their identity.
 */
export function evolveFleetAll(fleet: Fleet = EMPTY_FLEET, events: readonly FleetEvent[]): Fleet {
  if (events.length === 0) return fleet;
  const devices = new Map(fleet.devices);
  for (const event of events) applyEvent(devices, event);
  return { devices };
}

/** What a link still says of a device that is gone is of no use to anybody, so it is passed over. */
function applyEvent(devices: Map<DeviceId, Device>, event: FleetEvent): void {
  if (event.type === 'device-added') {
    devices.set(event.profile.deviceId, addedDevice(event.profile, event.atMs));
    return;
  }
  const deviceId = event.type === 'device-edited' ? event.profile.deviceId : event.deviceId;
  const device = devices.get(deviceId);
  if (device === undefined) return;
  if (event.type === 'device-removed') devices.delete(deviceId);
  else devices.set(deviceId, deviceAfter(device, event));
}

function addedDevice(profile: DeviceProfile, atMs: number): Device {
  return {
    profile,
    status: 'disconnected',
    statusReason: profile.autoConnect ? null : 'not connected on purpose',
    statusSinceMs: atMs,
    reachSinceMs: atMs,
    connectionAttempts: 0,
    currentTask: null,
    info: null,
    refresh: { phase: 'none' },
    addedAtMs: atMs,
  };
}

type DeviceEvent = Exclude<FleetEvent, { type: 'device-added' | 'device-removed' }>;

function deviceAfter(device: Device, event: DeviceEvent): Device {
  switch (event.type) {
    case 'device-edited':
      return { ...device, profile: event.profile };
    case 'device-status-changed': {
      const { status, reason, connectionAttempts, atMs } = event;
      const statusSinceMs = status === device.status ? device.statusSinceMs : atMs;
      const reachSinceMs = takesWork(status) === takesWork(device.status) ? device.reachSinceMs : atMs;
      return { ...device, status, statusReason: reason, statusSinceMs, reachSinceMs, connectionAttempts };
    }
    case 'device-work-changed':
      return { ...device, currentTask: event.currentTask };
    case 'device-info-asked':
      return { ...device, refresh: askedRefresh(event) };
    case 'device-info-received': {
      const { info, origin, askedAtMs, collectedAtMs } = event;
      return { ...device, info: { info, origin, askedAtMs, collectedAtMs }, refresh: afterAnswer(device, askedAtMs) };
    }
    case 'device-info-failed':
      return { ...device, refresh: afterFailure(device.refresh, event) };
    default:
      return assertNever(event);
  }
}

function askedRefresh(event: Extract<FleetEvent, { type: 'device-info-asked' }>): InfoRefresh {
  const phase = event.when === 'now' ? 'asked' : 'waiting-for-return';
  return { phase, askedAtMs: event.atMs, askedBy: event.actor };
}

/** An answer to a question that was asked before the button was pressed does not settle the press. */
function afterAnswer({ refresh }: Device, questionAskedAtMs: number): InfoRefresh {
  if (refresh.phase === 'none' || questionAskedAtMs >= refresh.askedAtMs) return { phase: 'none' };
  return refresh;
}

/** A failure that nobody waits for is not a failed refresh. */
function afterFailure(refresh: InfoRefresh, event: Extract<FleetEvent, { type: 'device-info-failed' }>): InfoRefresh {
  if (refresh.phase === 'none') return refresh;
  return { phase: 'failed', askedAtMs: refresh.askedAtMs, failedAtMs: event.atMs, reason: event.reason };
}
