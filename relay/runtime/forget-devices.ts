import { type Device, takesWork } from '@/lib/fleet/device';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';

const LOOK_EVERY_MS_MAX = 60_000;

export type ForgetOptions = {
  readonly clock: Clock;
  readonly forgetAfterMs: number;
  readonly devices: () => Iterable<Device>;
  readonly builtInIds: ReadonlySet<string>;
  readonly remove: (deviceId: DeviceId) => void;
};

/** Removes devices that have been away for too long. One that is not to be connected is not away. */
export function startForgetting({ clock, forgetAfterMs, devices, builtInIds, remove }: ForgetOptions): CancelTimer {
  return clock.every(Math.min(LOOK_EVERY_MS_MAX, forgetAfterMs), () => {
    const nowMs = clock.now();
    for (const device of [...devices()]) {
      const { deviceId, autoConnect } = device.profile;
      if (!autoConnect || builtInIds.has(deviceId) || takesWork(device.status)) continue;
      if (nowMs - device.reachSinceMs >= forgetAfterMs) remove(deviceId);
    }
  });
}
