'use client';

import { useState } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { askRelay } from '@/components/providers/relay-http';
import { ErrorCard } from '@/components/shell/error-card';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { TextArea } from '@/components/ui/field';
import { Notice } from '@/components/ui/notice';
import { Panel } from '@/components/ui/panel';
import { type Device, takesWork } from '@/lib/fleet/device';
import { runCreatedSchema } from '@/lib/relay-protocol/http';
import { type RunId, runIdSchema } from '@/lib/std/ids';
import { oneStarConstellation } from './one-star-constellation';
import { SentTask } from './sent-task';
import { useSentRuns } from './use-sent-runs';

/** One task for this device: makes a run of one task, launches it and shows it where it was sent. */
export function SendTaskPanel({ device }: { readonly device: Device }) {
  const words = text.fleet.task;
  const gate = useGate('run-launch');
  const [request, setRequest] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [runIds, addRun] = useSentRuns();

  const obstacle = gate.isOpen ? (request.trim() === '' ? words.empty : undefined) : gate.reason;

  /** What somebody has typed is never replaced. */
  const insert = (text: string) => setRequest((before) => (before.trim() === '' ? text : `${before}\n${text}`));

  async function send(): Promise<void> {
    if (obstacle !== undefined || isSending) return;
    setIsSending(true);
    setProblem(undefined);
    const sent = await postTask(device, request);
    setIsSending(false);
    if (!sent.ok) return setProblem(words.notSent(sent.problem));
    addRun(sent.runId);
    // The text lives on in the run; left here, a second press would send it twice.
    setRequest((now) => (now === request ? '' : now));
  }

  return (
    <Panel title={words.title}>
      <div className="flex flex-col gap-3">
        <TextArea
          label={words.label}
          hint={words.hint}
          rows={4}
          spellCheck={false}
          value={request}
          onChange={(event) => setRequest(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (!event.repeat) void send();
          }}
          className="font-mono"
        />
        <Help onInsert={insert} />
        {!takesWork(device.status) && <Notice tone="amber">{words.offline}</Notice>}
        {problem !== undefined && <Notice tone="red">{problem}</Notice>}
        <div>
          <Button look="primary" icon="send" isBusy={isSending} unavailableBecause={obstacle} onClick={send}>
            {words.send}
          </Button>
        </div>
        {runIds.map((runId) => (
          <ErrorCard key={runId}>
            <SentTask runId={runId} onTakeText={insert} />
          </ErrorCard>
        ))}
      </div>
    </Panel>
  );
}

function Help({ onInsert }: { readonly onInsert: (example: string) => void }) {
  const words = text.fleet.task;
  return (
    <div className="flex flex-col gap-1.5 text-xs text-muted">
      <p>{words.understands}</p>
      <div className="flex flex-wrap gap-1">
        {words.examples.map((example) => (
          <button
            key={example}
            type="button"
            aria-label={words.insert(example)}
            onClick={() => onInsert(example)}
            className="h-6 rounded border border-line px-1.5 font-mono text-xs hover:bg-hover"
          >
            {example}
          </button>
        ))}
      </div>
    </div>
  );
}

type Sent = { readonly ok: true; readonly runId: RunId } | { readonly ok: false; readonly problem: string };

async function postTask(device: Device, request: string): Promise<Sent> {
  const { deviceId } = device.profile;
  const now = new Date();
  const constellation = oneStarConstellation({
    deviceId,
    request,
    name: text.fleet.task.runName(deviceId),
    nonce: `${now.getTime().toString(36)}_${deviceId}`,
    at: now.toISOString(),
  });
  const answer = await askRelay({
    method: 'POST',
    path: '/v1/runs?launch=true',
    body: { type: 'application/json', text: JSON.stringify(constellation) },
    answer: runCreatedSchema,
  });
  if (!answer.ok) return { ok: false, problem: answer.error.detail };
  return { ok: true, runId: runIdSchema.parse(answer.value.id) };
}
