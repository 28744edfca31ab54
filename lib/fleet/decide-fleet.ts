import { assertNever } from '@/lib/std/assert-never';
import type { DeviceId } from '@/lib/std/ids';
import { err, ok, type Result } from '@/lib/std/result';
import type { DevicePatch, FleetCommand } from './commands';
import { type Device, type DeviceProfile, type Fleet, takesWork } from './device';
import type { FleetEvent } from './events';
import { knownDevices } from './find-device';

/** A device's address as it may be stored: the secret part has been sealed, and is only named. */
export type SealedAddress = { readonly serverUrl: string; readonly secretRef: string | null };

/** What `decideFleet` may know beyond the fleet. */
export type FleetContext = {
  readonly nowMs: number;
  /** Who asks: an operator's name, `api`, `relay`. */
  readonly actor: string;
  /** Splits the secret from an address; called only for a command that is allowed. */
  readonly sealAddress: (deviceId: DeviceId, serverUrl: string) => SealedAddress;
  /** Attempts of any run that wait for the device or run on it. */
  readonly liveAttempts: (deviceId: DeviceId) => number;
};

/** Why a fleet command was refused; a part of the codes of `lib/run`, which every screen has a sentence for. */
export type FleetRefusal = {
  readonly code: 'device-unknown' | 'device-exists' | 'device-busy' | 'device-offline';
  readonly message: string;
};
export type FleetDecision = Result<FleetEvent[], FleetRefusal>;

/**
 * Says what a command causes, or why not. A command that asks for what is already so causes nothing.
 *
 * `device-reconnect` is work for the link alone: what comes of it is seen in the events of the link.
 */
export function decideFleet(fleet: Fleet, command: FleetCommand, context: FleetContext): FleetDecision {
  if (command.type === 'device-add') return addDevice(fleet, command, context);
  const device = fleet.devices.get(command.deviceId);
  if (device === undefined) {
    return refused('device-unknown', `There is no device "${command.deviceId}" (${knownDevices(fleet)}).`);
  }
  switch (command.type) {
    case 'device-edit':
      return ok(editDevice(device, command.patch, context));
    case 'device-remove':
      return removeDevice(device, context);
    case 'device-refresh':
      return refreshDevice(device, command.when, context);
    case 'device-reconnect':
      return ok([]);
    default:
      return assertNever(command);
  }
}

function refused(code: FleetRefusal['code'], message: string): FleetDecision {
  return err({ code, message });
}

function addDevice(
  fleet: Fleet,
  { device }: Extract<FleetCommand, { type: 'device-add' }>,
  context: FleetContext,
): FleetDecision {
  const { deviceId, serverUrl, ...rest } = device;
  if (fleet.devices.has(deviceId)) {
    return refused('device-exists', `A device "${deviceId}" exists already; edit it, or choose another id.`);
  }
  const profile: DeviceProfile = { deviceId, ...context.sealAddress(deviceId, serverUrl), ...rest };
  return ok([{ type: 'device-added', atMs: context.nowMs, actor: context.actor, profile }]);
}

function editDevice(device: Device, patch: DevicePatch, context: FleetContext): FleetEvent[] {
  const old = device.profile;
  const address = patch.serverUrl === undefined ? {} : context.sealAddress(old.deviceId, patch.serverUrl);
  const profile: DeviceProfile = {
    ...old,
    ...address,
    os: patch.os ?? old.os,
    capabilities: patch.capabilities ?? old.capabilities,
    metadata: patch.metadata ?? old.metadata,
    autoConnect: patch.autoConnect ?? old.autoConnect,
    maxRetries: patch.maxRetries ?? old.maxRetries,
  };
  if (JSON.stringify(profile) === JSON.stringify(old)) return [];
  return [{ type: 'device-edited', atMs: context.nowMs, actor: context.actor, profile }];
}

/** A device with work stays: its attempts could neither be cancelled nor end once its link is gone. */
function removeDevice(device: Device, context: FleetContext): FleetDecision {
  const { deviceId } = device.profile;
  const attempts = context.liveAttempts(deviceId);
  if (device.currentTask !== null || attempts > 0) {
    const work = device.currentTask === null ? `${attempts} in its queue` : `running ${device.currentTask.taskId}`;
    return refused('device-busy', `Device "${deviceId}" still has work (${work}); cancel or await it, then remove it.`);
  }
  const reason = `removed by ${context.actor}`;
  return ok([{ type: 'device-removed', atMs: context.nowMs, actor: context.actor, deviceId, reason }]);
}

/** A question that was answered by nobody for so long, a crash of the relay included, does not hold up the next one. */
const REFRESH_OPEN_MAX_MS = 30_000;

/** Presses while an answer is awaited are one question. */
function refreshDevice(device: Device, when: 'now' | 'on-return', context: FleetContext): FleetDecision {
  const { deviceId } = device.profile;
  const asked: FleetEvent = { type: 'device-info-asked', atMs: context.nowMs, actor: context.actor, deviceId, when };
  if (takesWork(device.status)) {
    const { refresh } = device;
    const isOpen = refresh.phase === 'asked' && context.nowMs - refresh.askedAtMs < REFRESH_OPEN_MAX_MS;
    return ok(isOpen ? [] : [{ ...asked, when: 'now' }]);
  }
  if (when === 'on-return') return ok(device.refresh.phase === 'waiting-for-return' ? [] : [asked]);
  const why = device.statusReason === null ? '' : `: ${device.statusReason}`;
  return refused(
    'device-offline',
    `Device "${deviceId}" is ${device.status}${why}; ask to refresh on its return instead.`,
  );
}
