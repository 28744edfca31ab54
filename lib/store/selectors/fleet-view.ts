import type { Device, Fleet, InfoOrigin } from '@/lib/fleet/device';
import { findDevice } from '@/lib/fleet/find-device';
import { type ProfileFact, profileFacts } from '@/lib/fleet/merge-profile';
import { assertNever } from '@/lib/std/assert-never';
import type { DeviceId } from '@/lib/std/ids';
import type { BoardState } from '@/lib/store/board-state';

export type ConnectionWord = 'online' | 'connecting' | 'offline' | 'failed';

/**
 * First of three facts that are never mixed: is the line to the device there. `sinceMs` counts from when it came or went, not
 * from the last attempt.
 */
export type ConnectionFact = {
  readonly word: ConnectionWord;
  readonly sinceMs: number;
  readonly reason: string | null;
};

export function connectionFact(device: Device): ConnectionFact {
  const { reachSinceMs: sinceMs, statusReason: reason } = device;
  switch (device.status) {
    case 'connected':
    case 'idle':
    case 'busy':
      return { word: 'online', sinceMs, reason: null };
    case 'connecting':
    case 'registering':
      return { word: 'connecting', sinceMs, reason };
    case 'disconnected':
      return { word: 'offline', sinceMs, reason };
    case 'failed':
      return { word: 'failed', sinceMs, reason };
    default:
      return assertNever(device.status);
  }
}

/** Second fact: what it does. A device that is not there does nothing that we know of. */
export type WorkFact =
  | { readonly word: 'idle' }
  | { readonly word: 'busy'; readonly runId: string; readonly taskId: string }
  | { readonly word: 'none' };

export function workFact(device: Device): WorkFact {
  if (device.currentTask !== null) return { word: 'busy', ...device.currentTask };
  return connectionFact(device).word === 'online' ? { word: 'idle' } : { word: 'none' };
}

/** Third fact: how old its information is, and what a refresh by hand has come to. */
export type InfoFact =
  | { readonly phase: 'known'; readonly collectedAtMs: number; readonly askedAtMs: number; readonly origin: InfoOrigin }
  | { readonly phase: 'never' };

export function infoFact(device: Device): InfoFact {
  if (device.info === null) return { phase: 'never' };
  const { collectedAtMs, askedAtMs, origin } = device.info;
  return { phase: 'known', collectedAtMs, askedAtMs, origin };
}

export function fleetOf(state: BoardState): Fleet | undefined {
  return state.fleet.phase === 'ready' ? state.fleet.value : undefined;
}

export function deviceOf(state: BoardState, deviceId: string): Device | undefined {
  const fleet = fleetOf(state);
  return fleet === undefined ? undefined : findDevice(fleet, deviceId);
}

export type FleetCounts = { readonly all: number; readonly online: number; readonly busy: number };

export function fleetCounts(devices: Iterable<Device>): FleetCounts {
  let all = 0;
  let online = 0;
  let busy = 0;
  for (const device of devices) {
    all += 1;
    if (connectionFact(device).word === 'online') online += 1;
    if (device.currentTask !== null) busy += 1;
  }
  return { all, online, busy };
}

/** Ids in the order of the list: by name, numbers in names by their value, so that `pc-2` stands before `pc-10`. */
export function listedDeviceIds(fleet: Fleet, filter: string): readonly DeviceId[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return [...fleet.devices.values()]
    .filter((device) => words.every((word) => isFoundBy(device, word)))
    .map((device) => device.profile.deviceId)
    .sort(compareNames);
}

const order = new Intl.Collator('en', { numeric: true });
const compareNames = (left: string, right: string) => order.compare(left, right);

function isFoundBy(device: Device, word: string): boolean {
  const { deviceId, os, capabilities } = device.profile;
  const facts = [deviceId, os, ...capabilities, connectionFact(device).word, workFact(device).word];
  return facts.some((fact) => fact.toLowerCase().includes(word));
}

/** Names of facts that the device or its server now tell otherwise than before; nothing for the first telling. */
export function changedFacts(before: Device | undefined, after: Device): ReadonlySet<string> {
  if (before === undefined || before.info === null || before.info === after.info) return new Set();
  const told = new Map(profileFacts(before).map((fact) => [factKey(fact), JSON.stringify(fact.value)]));
  const changed = profileFacts(after).filter((fact) => told.get(factKey(fact)) !== JSON.stringify(fact.value));
  return new Set(changed.map(factKey));
}

export function factKey(fact: Pick<ProfileFact, 'source' | 'name'>): string {
  return `${fact.source}/${fact.name}`;
}
