import type { Device } from '@/lib/fleet/device';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';
import type { AwayBook } from './away-book';

const LOOK_EVERY_MS_MAX = 60_000;

export type ForgetOptions = {
  readonly clock: Clock;
  readonly forgetAfterMs: number;
  readonly devices: () => Iterable<Device>;
  readonly away: AwayBook;
  readonly builtInIds: ReadonlySet<string>;
  readonly remove: (deviceId: DeviceId) => void;
};

/** Removes devices that have been away for too long. One that is not to be connected is not away. */
export function startForgetting({
  clock,
  forgetAfterMs,
  devices,
  away,
  builtInIds,
  remove,
}: ForgetOptions): CancelTimer {
  return clock.every(Math.min(LOOK_EVERY_MS_MAX, forgetAfterMs), () => {
    const nowMs = clock.now();
    for (const device of [...devices()]) {
      const { deviceId, autoConnect } = device.profile;
      const sinceMs = away.sinceMs(device);
      if (!autoConnect || builtInIds.has(deviceId) || sinceMs === undefined) continue;
      if (nowMs - sinceMs >= forgetAfterMs) remove(deviceId);
    }
  });
}
