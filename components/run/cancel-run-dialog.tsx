'use client';

import { useState } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';

type CancelRunDialogProps = {
  readonly name: string;
  readonly runningCount: number;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string) => void;
};

/** Names the run and says how much it stops; the numbers stay live while it is open. */
export function CancelRunDialog({ name, runningCount, onClose, onConfirm }: CancelRunDialogProps) {
  const [reason, setReason] = useState('');
  const gate = useGate('run-cancel');
  const words = runText.cancelDialog;
  return (
    <Dialog
      title={words.title(name === '' ? runText.page.unnamed : name)}
      closeLabel={text.shell.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.keep}</Button>
          <Button
            look="danger"
            unavailableBecause={gate.isOpen ? undefined : gate.reason}
            onClick={() => onConfirm(reason.trim())}
          >
            {words.confirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>{words.running(runningCount)}</p>
        {runningCount > 0 ? <p className="text-muted">{words.stock}</p> : null}
        <TextField
          label={words.reason}
          value={reason}
          maxLength={1000}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </Dialog>
  );
}
