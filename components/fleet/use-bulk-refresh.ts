import { useEffect, useRef, useState } from 'react';
import { complaintOf } from '@/components/command/use-command';
import { useConstellationClient } from '@/components/providers/constellation-provider';
import { type Device, takesWork } from '@/lib/fleet/device';
import { COMMAND_RATE } from '@/lib/relay-protocol/timing';
import type { DeviceId } from '@/lib/std/ids';

export type BulkRefusal = { readonly deviceId: DeviceId; readonly reason: string };
export type BulkProgress = {
  readonly done: number;
  readonly all: number;
  readonly refusals: readonly BulkRefusal[];
};

/** Some of the relay's burst is left for what the operator clicks meanwhile, and the pace is a little below its rate. */
const BURST = Math.floor((COMMAND_RATE.burst * 2) / 3);
const PACE_MS = Math.ceil((1_000 / COMMAND_RATE.perSecond) * 1.05);

/** Asks many devices one after another, at the pace that the relay allows. */
export function useBulkRefresh(): {
  readonly progress: BulkProgress | undefined;
  readonly start: (devices: readonly Device[]) => void;
  readonly clear: () => void;
} {
  const client = useConstellationClient();
  const [progress, setProgress] = useState<BulkProgress>();
  const round = useRef(0);
  useEffect(
    () => () => {
      round.current += 1;
    },
    [],
  );

  async function run(devices: readonly Device[]): Promise<void> {
    round.current += 1;
    const mine = round.current;
    let refusals: readonly BulkRefusal[] = [];
    setProgress({ done: 0, all: devices.length, refusals });
    for (const [index, device] of devices.entries()) {
      const { deviceId } = device.profile;
      if (index >= BURST) await new Promise((resolve) => setTimeout(resolve, PACE_MS));
      const verdict = await client.refresh(deviceId, takesWork(device.status) ? 'now' : 'on-return');
      if (round.current !== mine) return;
      const reason = complaintOf(verdict);
      if (reason !== null) refusals = [...refusals, { deviceId, reason }];
      setProgress({ done: index + 1, all: devices.length, refusals });
    }
  }

  return {
    progress,
    start: (devices) => void run(devices),
    clear() {
      round.current += 1;
      setProgress(undefined);
    },
  };
}
