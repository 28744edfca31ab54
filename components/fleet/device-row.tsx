'use client';

import Link from 'next/link';
import { memo } from 'react';
import { Complaint } from '@/components/command/complaint';
import { useCommand } from '@/components/command/use-command';
import { useBoard } from '@/components/providers/constellation-provider';
import { DeviceKindIcon } from '@/components/status/device-kind-icons';
import { text } from '@/components/text/catalogue';
import { Badge } from '@/components/ui/badge';
import { CELL, ROW, WHOLE_LINE } from '@/components/ui/data-table';
import { mergeProfile } from '@/lib/fleet/merge-profile';
import type { DeviceId } from '@/lib/std/ids';
import { deviceOf } from '@/lib/store/selectors/fleet-view';
import { ConnectionFactCell, InfoFactCell, WorkFactCell } from './device-facts';
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
      <tr aria-label={deviceId} aria-selected={isSelected} className={`${ROW} max-sm:grid-cols-[auto_1fr_auto]`}>
        <td className={`${CELL} w-8 max-sm:w-auto`}>
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={text.fleet.list.selectOne(deviceId)}
            onChange={(event) => onSelect(deviceId, event.target.checked)}
            className="block size-4 accent-action"
          />
        </td>
        <th scope="row" className={`${CELL} min-w-0 text-left font-medium`}>
          <Link href={`/devices/${deviceId}`} className="flex max-w-56 items-center gap-2 xl:max-w-80 hover:underline">
            <span className="text-muted" title={os}>
              <DeviceKindIcon os={os} />
            </span>
            <span className="min-w-0 truncate" title={deviceId}>
              {deviceId}
            </span>
          </Link>
        </th>
        <td className={`${CELL} ${WHOLE_LINE} max-sm:order-1`}>
          <ConnectionFactCell device={device} />
        </td>
        <td className={`${CELL} ${WHOLE_LINE} max-sm:order-1 max-sm:flex max-sm:items-center max-sm:gap-2`}>
          <PhoneLabel>{text.fleet.list.columns.work}</PhoneLabel>
          <WorkFactCell device={device} />
        </td>
        <td className={`${CELL} ${WHOLE_LINE} max-sm:order-1 max-sm:flex max-sm:items-center max-sm:gap-2`}>
          <PhoneLabel>{text.fleet.list.columns.info}</PhoneLabel>
          <InfoFactCell device={device} />
        </td>
        <td className={`${CELL} ${WHOLE_LINE} max-sm:order-1 sm:max-xl:hidden`} title={capabilities.join(', ')}>
          <span className="flex items-center gap-1 max-sm:flex-wrap">
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
        <tr className="max-sm:block">
          <td colSpan={7} className="px-3 pb-2 max-sm:block">
            <Complaint command={command} />
          </td>
        </tr>
      )}
    </>
  );
});

/** Takes the place of the head of the column where rows are cards. */
function PhoneLabel({ children }: { readonly children: string }) {
  return <span className="w-16 shrink-0 text-xs text-muted sm:hidden">{children}</span>;
}
