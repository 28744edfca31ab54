import type { DeviceId } from '@/lib/std/ids';
import type { Device, Fleet } from './device';

/** A device by a name that somebody wrote: plans name devices in free text, which may be nobody's id. */
export function findDevice(fleet: Fleet, name: string): Device | undefined {
  return fleet.devices.get(asKey(name));
}

/** Sound: the value is only compared with the keys of a map, never stored; a text that is no id finds nothing. */
function asKey(name: string): DeviceId {
  return name as DeviceId;
}

const LISTED_MAX = 20;

/** For messages: the devices that exist, so that a typing mistake is seen at once. */
export function knownDevices(fleet: Fleet): string {
  if (fleet.devices.size === 0) return 'no device has been added yet';
  const ids = [...fleet.devices.keys()];
  const more = ids.length > LISTED_MAX ? ` and ${ids.length - LISTED_MAX} more` : '';
  return `known devices: ${ids.slice(0, LISTED_MAX).join(', ')}${more}`;
}
