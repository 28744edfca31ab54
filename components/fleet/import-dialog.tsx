'use client';

import { type ChangeEvent, useRef, useState } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { askRelay } from '@/components/providers/relay-http';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextArea } from '@/components/ui/field';
import { Notice } from '@/components/ui/notice';
import { type DevicesImported, devicesImportedSchema, type Problem } from '@/lib/relay-protocol/http';

type Outcome =
  | { readonly phase: 'none' }
  | { readonly phase: 'done'; readonly receipts: DevicesImported }
  | { readonly phase: 'failed'; readonly problem: Pick<Problem, 'detail' | 'errors'> };

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const words = text.fleet.importDialog;
  const gate = useGate('device-add');
  const file = useRef<HTMLInputElement>(null);
  const [yaml, setYaml] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>({ phase: 'none' });

  async function takeFile(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const chosen = event.target.files?.[0];
    // Without this the same file, mended, could not be chosen again.
    event.target.value = '';
    if (chosen === undefined) return;
    await chosen
      .text()
      .then(setYaml, () => setOutcome({ phase: 'failed', problem: { detail: words.fileFailed(chosen.name) } }));
  }

  async function send(): Promise<void> {
    setIsSending(true);
    const answer = await askRelay({
      method: 'POST',
      path: '/v1/devices/import',
      body: { type: 'application/yaml', text: yaml },
      answer: devicesImportedSchema,
    });
    setIsSending(false);
    setOutcome(answer.ok ? { phase: 'done', receipts: answer.value } : { phase: 'failed', problem: answer.error });
  }

  const reason = gate.isOpen ? (yaml.trim() === '' ? words.emptyText : undefined) : gate.reason;
  return (
    <Dialog
      title={words.title}
      closeLabel={text.shell.common.close}
      onClose={onClose}
      isWide
      footer={
        outcome.phase === 'done' ? (
          <Button look="primary" onClick={onClose}>
            {text.shell.common.close}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{text.shell.common.cancel}</Button>
            <Button look="primary" isBusy={isSending} unavailableBecause={reason} onClick={send}>
              {words.submit}
            </Button>
          </>
        )
      }
    >
      {outcome.phase === 'done' ? (
        <Receipts receipts={outcome.receipts} />
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-sm text-muted">{words.how}</p>
          {outcome.phase === 'failed' && <Failure problem={outcome.problem} />}
          <div>
            <input
              ref={file}
              type="file"
              accept=".yaml,.yml,text/yaml"
              onChange={takeFile}
              className="hidden"
              tabIndex={-1}
            />
            <Button icon="file" onClick={() => file.current?.click()}>
              {words.file}
            </Button>
          </div>
          <TextArea
            label={words.text}
            rows={14}
            spellCheck={false}
            value={yaml}
            onChange={(event) => setYaml(event.target.value)}
            className="font-mono text-xs"
          />
        </div>
      )}
    </Dialog>
  );
}

function Failure({ problem }: { readonly problem: Pick<Problem, 'detail' | 'errors'> }) {
  const words = text.fleet.importDialog;
  return (
    <Notice tone="red" title={words.failed(problem.detail)}>
      {problem.errors !== undefined && problem.errors.length > 0 && (
        <ul aria-label={words.problems} className="list-disc pl-5">
          {problem.errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code className="font-mono">{path}: </code>}
              {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function Receipts({ receipts }: { readonly receipts: DevicesImported }) {
  const words = text.fleet.importDialog;
  // One device may have several faults, each with a receipt of its own.
  const skippedCount = new Set(receipts.skipped.map(({ device_id }) => device_id)).size;
  return (
    <div className="flex flex-col gap-3">
      <Notice tone={receipts.added.length > 0 ? 'green' : 'amber'} title={words.added(receipts.added.length)}>
        {receipts.added.join(', ')}
      </Notice>
      {receipts.skipped.length > 0 && (
        <Notice tone="amber" title={words.skipped(skippedCount)}>
          <ul className="list-disc pl-5">
            {receipts.skipped.map(({ device_id, reason }) => (
              <li key={`${device_id} ${reason}`}>
                <span className="font-medium">{device_id}</span>: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
