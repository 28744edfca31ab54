'use client';

import { useBoard, useNow } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { formatFullMoment, formatMoment } from '@/components/text/format-time';
import { Facts } from '@/components/ui/facts';
import { Panel } from '@/components/ui/panel';
import type { Device } from '@/lib/fleet/device';
import { Age } from './device-facts';

/** How the relay reaches the device, and how that goes. */
export function ConnectionPanel({ device }: { readonly device: Device }) {
  const words = text.fleet.page;
  const { profile } = device;
  const heardAtMs = useBoard((state) => state.heardAtMs.get(profile.deviceId));
  return (
    <Panel title={words.connection}>
      <Facts
        facts={[
          {
            name: words.server,
            value: <code className="font-mono text-xs break-all">{profile.serverUrl}</code>,
          },
          { name: words.status, value: device.status },
          ...(device.statusReason === null ? [] : [{ name: words.reason, value: device.statusReason }]),
          { name: words.since, value: <Moment atMs={device.statusSinceMs} /> },
          ...(device.connectionAttempts === 0
            ? []
            : [{ name: words.attempts, value: String(device.connectionAttempts) }]),
          {
            name: words.heard,
            value:
              heardAtMs === undefined ? (
                text.shell.common.never
              ) : (
                <Age atMs={heardAtMs} words={text.shell.common.ago} />
              ),
          },
          { name: words.autoConnect, value: profile.autoConnect ? words.yes : words.no },
          { name: words.maxRetries, value: String(profile.maxRetries) },
          { name: words.added, value: <Moment atMs={device.addedAtMs} /> },
        ]}
      />
    </Panel>
  );
}

function Moment({ atMs }: { readonly atMs: number }) {
  return <time title={formatFullMoment(atMs)}>{formatMoment(atMs, useNow())}</time>;
}
