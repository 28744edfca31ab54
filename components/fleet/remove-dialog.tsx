'use client';

import { useState } from 'react';
import { complaintOf } from '@/components/command/use-command';
import { useConstellationClient, useGate } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Notice } from '@/components/ui/notice';
import type { DeviceId } from '@/lib/std/ids';

type RemoveDialogProps = {
  readonly deviceId: DeviceId;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
};

/** Names the device, so that nobody removes the wrong one of forty. */
export function RemoveDialog({ deviceId, onClose, onRemoved }: RemoveDialogProps) {
  const words = text.fleet.removeDialog;
  const client = useConstellationClient();
  const gate = useGate('device-remove');
  const [isAsking, setIsAsking] = useState(false);
  const [complaint, setComplaint] = useState<string | null>(null);

  async function remove(): Promise<void> {
    setIsAsking(true);
    setComplaint(null);
    const reason = complaintOf(await client.removeDevice(deviceId));
    setIsAsking(false);
    if (reason === null) onRemoved();
    else setComplaint(reason);
  }

  return (
    <Dialog
      title={words.title(deviceId)}
      closeLabel={text.shell.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{text.shell.common.cancel}</Button>
          <Button
            look="danger"
            isBusy={isAsking}
            unavailableBecause={gate.isOpen ? undefined : gate.reason}
            onClick={remove}
          >
            {words.confirm(deviceId)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        {complaint !== null && <Notice tone="red">{complaint}</Notice>}
        <p>{words.consequence(deviceId)}</p>
      </div>
    </Dialog>
  );
}
