'use client';

import { text } from '@/components/text/catalogue';
import { Notice } from '@/components/ui/notice';
import { ProgressArc } from '@/components/ui/progress-arc';
import { type Device, takesWork } from '@/lib/fleet/device';
import { assertNever } from '@/lib/std/assert-never';
import { Age } from './device-facts';

/** Where a refresh by hand stands, in a sentence; every operator sees the same, and a reload does not lose it. */
export function RefreshStatus({ device, changedCount }: { readonly device: Device; readonly changedCount?: number }) {
  const words = text.fleet.refresh;
  const { refresh } = device;
  switch (refresh.phase) {
    case 'asked':
      return (
        <p role="status" className="flex items-center gap-2 text-sm text-blue-text">
          <ProgressArc className="text-blue-solid" />
          <Age atMs={refresh.askedAtMs} words={(age) => words.busy(age, refresh.askedBy)} />
        </p>
      );
    case 'waiting-for-return':
      return (
        <Notice tone="amber">
          <Age atMs={refresh.askedAtMs} words={(age) => words.queued(age, refresh.askedBy)} />
        </Notice>
      );
    case 'failed':
      return (
        <Notice tone="red">
          <Age atMs={refresh.askedAtMs} words={(age) => words.failed(age, refresh.reason)} />
        </Notice>
      );
    case 'none':
      if (!takesWork(device.status)) return <Notice tone="neutral">{words.offline}</Notice>;
      if (changedCount === undefined) return null;
      return (
        <p role="status" className="text-sm text-muted">
          {changedCount === 0 ? words.unchanged : words.changed(changedCount)}
        </p>
      );
    default:
      return assertNever(refresh);
  }
}
