'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Complaint } from '@/components/command/complaint';
import { type CommandState, useCommand } from '@/components/command/use-command';
import { useBoard, useConstellationClient, useGate } from '@/components/providers/constellation-provider';
import { ErrorCard, FailureNotice } from '@/components/shell/error-card';
import { DeviceKindIcon } from '@/components/status/device-kind-icons';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { Icon } from '@/components/ui/icon';
import type { Device } from '@/lib/fleet/device';
import { mergeProfile } from '@/lib/fleet/merge-profile';
import { deviceOf, workFact } from '@/lib/store/selectors/fleet-view';
import { ConnectionPanel } from './connection-panel';
import { DeviceDialog } from './device-dialog';
import { ConnectionFactCell, WorkFactCell } from './device-facts';
import { ProfilePanel } from './profile-panel';
import { RemoveDialog } from './remove-dialog';
import { SendTaskPanel } from './send-task-panel';

/** @param props.deviceId - from the address, as anybody may have written it */
export function DevicePage({ deviceId }: { readonly deviceId: string }) {
  const copy = useBoard((state) => state.fleet);
  const device = useBoard((state) => deviceOf(state, deviceId));
  const words = text.fleet.page;
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 p-4">
      <Link href="/devices" className="inline-flex items-center gap-1 self-start text-sm text-muted hover:text-ink">
        <Icon name="arrow-left" />
        {words.back}
      </Link>
      {copy.phase === 'broken' && <FailureNotice reason={copy.reason} onRetry={() => window.location.reload()} />}
      {copy.phase === 'loading' && <p className="text-sm text-muted">{text.shell.common.loading}</p>}
      {copy.phase === 'ready' && device === undefined && (
        <EmptyState isWholePage title={words.missingTitle(deviceId)}>
          {words.missing}
        </EmptyState>
      )}
      {device !== undefined && <KnownDevice device={device} />}
    </div>
  );
}

function KnownDevice({ device }: { readonly device: Device }) {
  const command = useCommand();
  const { os } = mergeProfile(device.profile, device.info?.info ?? null);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
          <h1 className="flex min-w-0 items-center gap-2 text-xl font-semibold">
            <span className="text-muted" title={os}>
              <DeviceKindIcon os={os} />
            </span>
            <span className="truncate">{device.profile.deviceId}</span>
          </h1>
          <ConnectionFactCell device={device} reasonIn="whole" />
          {workFact(device).word !== 'none' && <WorkFactCell device={device} />}
        </div>
        <Actions device={device} command={command} />
      </div>
      <Complaint command={command} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <ErrorCard>
          <SendTaskPanel device={device} />
        </ErrorCard>
        <ErrorCard>
          <ConnectionPanel device={device} />
        </ErrorCard>
      </div>
      <ErrorCard>
        <ProfilePanel key={device.profile.deviceId} device={device} />
      </ErrorCard>
    </>
  );
}

function Actions({ device, command }: { readonly device: Device; readonly command: CommandState }) {
  const words = text.fleet.page;
  const { deviceId } = device.profile;
  const client = useConstellationClient();
  const router = useRouter();
  const reconnectGate = useGate('device-reconnect');
  const editGate = useGate('device-edit');
  const removeGate = useGate('device-remove');
  const [dialog, setDialog] = useState<'none' | 'edit' | 'remove'>('none');
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        icon="link"
        isBusy={command.isAsking}
        unavailableBecause={reconnectGate.isOpen ? undefined : reconnectGate.reason}
        onClick={() => command.ask(() => client.reconnect(deviceId))}
      >
        {words.reconnect}
      </Button>
      <Button
        icon="edit"
        unavailableBecause={editGate.isOpen ? undefined : editGate.reason}
        onClick={() => setDialog('edit')}
      >
        {words.edit}
      </Button>
      <Button
        icon="trash"
        unavailableBecause={removeGate.isOpen ? undefined : removeGate.reason}
        onClick={() => setDialog('remove')}
      >
        {words.remove}
      </Button>
      {dialog === 'edit' && <DeviceDialog profile={device.profile} onClose={() => setDialog('none')} />}
      {dialog === 'remove' && (
        <RemoveDialog
          deviceId={deviceId}
          onClose={() => setDialog('none')}
          onRemoved={() => router.replace('/devices')}
        />
      )}
    </div>
  );
}
