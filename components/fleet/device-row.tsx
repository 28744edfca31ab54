'use client';

import Link from 'next/link';
import { memo } from 'react';
import { useBoard } from '@/components/providers/constellation-provider';
import { Complaint } from '@/components/run/complaint';
import { useCommand } from '@/components/run/use-command';
import { text } from '@/components/text/catalogue';
import { Badge } from '@/components/ui/badge';
import { CELL, ROW } from '@/components/ui/data-table';
import { mergeProfile } from '@/lib/fleet/merge-profile';
import type { DeviceId } from '@/lib/std/ids';
import { deviceOf } from '@/lib/store/selectors/fleet-view';
import { ConnectionFactCell, InfoFactCell, WorkFactCell } from './device-facts';
import { DeviceKindIcon } from './device-kind-icons';
import { RefreshButton } from './refresh-button';

type DeviceRowProps = {
  readonly deviceId: DeviceId;
  readonly isSelected: boolean;
  readonly onSelect: (deviceId: DeviceId, isSelected: boolean) => void;
};

const CAPABILITIES_SHOWN = 3;

/** Renders again only when its own device changes. */
export const DeviceRow = memo(function DeviceRow({ deviceId, isSelected, onSelect }: DeviceRowProps) {
  const device = useBoard((state) => deviceOf(state, deviceId));
  const command = useCommand();
  if (device === undefined) return null;
  const { os, capabilities } = mergeProfile(device.profile, device.info?.info ?? null);
  const hidden = capabilities.length - CAPABILITIES_SHOWN;
  return (
    <>
      <tr aria-label={deviceId} aria-selected={isSelected} className={ROW}>
        <td className={`${CELL} w-8`}>
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={text.fleet.list.selectOne(deviceId)}
            onChange={(event) => onSelect(deviceId, event.target.checked)}
            className="block size-4 accent-action"
          />
        </td>
        <th scope="row" className={`${CELL} text-left font-medium`}>
          <Link href={`/devices/${deviceId}`} className="flex items-center gap-2 whitespace-nowrap hover:underline">
            <span className="text-muted" title={os}>
              <DeviceKindIcon os={os} />
            </span>
            {deviceId}
          </Link>
        </th>
        <td className={CELL}>
          <ConnectionFactCell device={device} />
        </td>
        <td className={CELL}>
          <WorkFactCell device={device} />
        </td>
        <td className={CELL}>
          <InfoFactCell device={device} />
        </td>
        <td className={CELL} title={capabilities.join(', ')}>
          <span className="flex items-center gap-1">
            {capabilities.slice(0, CAPABILITIES_SHOWN).map((capability) => (
              <Badge key={capability}>{capability}</Badge>
            ))}
            {hidden > 0 && <span className="text-xs whitespace-nowrap text-muted">{text.fleet.list.more(hidden)}</span>}
          </span>
        </td>
        <td className={`${CELL} text-right`}>
          <RefreshButton device={device} command={command} isIconOnly />
        </td>
      </tr>
      {command.complaint !== null && (
        <tr>
          <td colSpan={7} className="px-3 pb-2">
            <Complaint command={command} />
          </td>
        </tr>
      )}
    </>
  );
});
