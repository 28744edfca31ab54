'use client';

import type { CommandState } from '@/components/command/use-command';
import { useBoard, useConstellationClient, useGate } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { type Device, takesWork } from '@/lib/fleet/device';
import { isPendingForDevice } from '@/lib/store/selectors/pending-device';

type RefreshButtonProps = { readonly device: Device; readonly command: CommandState; readonly isIconOnly?: boolean };

/** Asks the device now, or, while it is away, as soon as it returns. Further presses while an answer is due are one. */
export function RefreshButton({ device, command, isIconOnly = false }: RefreshButtonProps) {
  const { deviceId } = device.profile;
  const client = useConstellationClient();
  const gate = useGate('device-refresh');
  const isSent = useBoard((board) => isPendingForDevice(board, deviceId, 'device-refresh'));
  const isHere = takesWork(device.status);
  const isQueued = !isHere && device.refresh.phase === 'waiting-for-return';
  const label = isHere ? text.fleet.refresh.now : text.fleet.refresh.onReturn;
  const reason = gate.isOpen ? (isQueued ? text.fleet.refresh.waiting : undefined) : gate.reason;
  return (
    <Button
      icon={isHere ? 'refresh' : 'clock'}
      look={isIconOnly ? 'quiet' : 'secondary'}
      isIconOnly={isIconOnly}
      isBusy={isSent || command.isAsking || (isHere && device.refresh.phase === 'asked')}
      unavailableBecause={reason}
      aria-label={label}
      title={label}
      onClick={() => command.ask(() => client.refresh(deviceId, isHere ? 'now' : 'on-return'))}
    >
      {label}
    </Button>
  );
}
