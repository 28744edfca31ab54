import { type Device, takesWork } from '@/lib/fleet/device';
import type { DeviceId } from '@/lib/std/ids';
import type { Engine, KvWrite } from '@/relay/engine/engine';

const SPACE = 'device-away';

/**
 * Since when a device has been away, over all tries to reach it and over restarts of the relay: its status alone begins
 * anew with each of them.
 */
export type AwayBook = {
  /** What is to be stored when a device goes from one state to the other; either may be missing. */
  changes(before: Device | undefined, after: Device | undefined, nowMs: number): readonly KvWrite[];
  sinceMs(device: Device): number | undefined;
};

export function createAwayBook(engine: Engine): AwayBook {
  return {
    changes(before, after, nowMs) {
      const wasHere = before !== undefined && takesWork(before.status);
      if (after === undefined) return before === undefined ? [] : [forget(before.profile.deviceId)];
      const { deviceId } = after.profile;
      const isHere = takesWork(after.status);
      if (isHere) return wasHere ? [] : [forget(deviceId)];
      if (before !== undefined && !wasHere) return [];
      return [{ op: 'put', space: SPACE, key: deviceId, value: String(nowMs), expiresAtMs: null }];
    },
    sinceMs(device) {
      if (takesWork(device.status)) return undefined;
      const text = engine.kv.get(SPACE, device.profile.deviceId);
      return text === undefined ? device.statusSinceMs : Number(text);
    },
  };
}

function forget(deviceId: DeviceId): KvWrite {
  return { op: 'delete', space: SPACE, key: deviceId };
}
