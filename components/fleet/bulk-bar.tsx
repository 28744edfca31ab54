'use client';

import { useShallow } from 'zustand/react/shallow';
import { useBoard, useGate } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import type { Device } from '@/lib/fleet/device';
import type { DeviceId } from '@/lib/std/ids';
import { deviceOf } from '@/lib/store/selectors/fleet-view';
import { useBulkRefresh } from './use-bulk-refresh';

type BulkBarProps = { readonly selected: ReadonlySet<DeviceId>; readonly onClear: () => void };

/** What can be done with the chosen rows, and how far it has come. */
export function BulkBar({ selected, onClear }: BulkBarProps) {
  const gate = useGate('device-refresh');
  const { progress, start, clear } = useBulkRefresh();
  const devices = useBoard(
    useShallow((state) =>
      [...selected].flatMap((deviceId): Device[] => {
        const device = deviceOf(state, deviceId);
        return device === undefined ? [] : [device];
      }),
    ),
  );
  if (devices.length === 0) return null;
  const isRunning = progress !== undefined && progress.done < progress.all;
  const words = text.fleet.refresh;
  return (
    <section
      aria-label={words.selected(devices.length)}
      className="sticky bottom-0 flex flex-col gap-2 border-t border-line bg-raised px-4 py-2 text-sm"
    >
      <div className="flex flex-wrap items-center gap-3">
        <span className="font-medium">{words.selected(devices.length)}</span>
        <Button
          icon="refresh"
          isBusy={isRunning}
          unavailableBecause={gate.isOpen ? undefined : gate.reason}
          onClick={() => start(devices)}
        >
          {words.now}
        </Button>
        {progress !== undefined && <span role="status">{words.progress(progress.done, progress.all)}</span>}
        <Button
          look="quiet"
          className="ml-auto"
          onClick={() => {
            clear();
            onClear();
          }}
        >
          {words.clear}
        </Button>
      </div>
      {progress !== undefined && progress.refusals.length > 0 && (
        <div className="text-red-text">
          <p>{words.refusals(progress.refusals.length)}</p>
          <ul className="max-h-32 list-disc overflow-auto pl-5">
            {progress.refusals.map(({ deviceId, reason }) => (
              <li key={deviceId}>
                {deviceId}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
