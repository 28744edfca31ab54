'use client';

import { useState } from 'react';
import { useTaskSelection } from '@/components/canvas/task-selection';
import { Complaint } from '@/components/command/complaint';
import { useCommand } from '@/components/command/use-command';
import { useBoard, useConstellationClient, useNow } from '@/components/providers/constellation-provider';
import { TASK_TONE } from '@/components/status/task-state';
import { TaskStateIcon } from '@/components/status/task-state-icon';
import { text } from '@/components/text/catalogue';
import { formatFullMoment, formatMoment } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { isPendingFor } from '@/lib/store/selectors/pending-for';
import { type Failure, failuresOf, skippedCount } from '@/lib/store/selectors/run-overview';
import { useLiveRun, useObstacle } from './live-run';

/** A lost device can fail hundreds of tasks; the rest of them comes by request. */
const PAGE_ITEMS = 20;

/** The earliest real cause first; stands beside the graph, so its coming moves no card. */
export function FailureStrip() {
  const { run, view } = useLiveRun();
  const [shownMax, setShownMax] = useState(PAGE_ITEMS);
  const failures = failuresOf(run, view);
  if (failures.length === 0) return null;
  const skipped = skippedCount(view);
  return (
    <section aria-labelledby="failures-heading" className="flex flex-col gap-2">
      <h2 id="failures-heading" className="text-base font-semibold">
        {runText.panel.failuresTitle(failures.length)}
        {skipped === 0 ? null : <span className="font-normal text-muted">, {runText.panel.skipped(skipped)}</span>}
      </h2>
      {failures.length === 1 ? null : <p className="text-xs text-muted">{runText.panel.stepHint}</p>}
      <ol className="flex flex-col gap-2">
        {failures.slice(0, shownMax).map((failure) => (
          <FailureItem key={failure.taskId} failure={failure} />
        ))}
      </ol>
      {failures.length > shownMax ? (
        <Button className="self-start" onClick={() => setShownMax(shownMax + PAGE_ITEMS)}>
          {runText.list.more(Math.min(PAGE_ITEMS, failures.length - shownMax))}
        </Button>
      ) : null}
    </section>
  );
}

function FailureItem({ failure }: { readonly failure: Failure }) {
  const { run } = useLiveRun();
  const client = useConstellationClient();
  const command = useCommand();
  const selection = useTaskSelection();
  const nowMs = useNow();
  const target = { runId: run.runId, taskId: failure.taskId };
  const obstacle = useObstacle({ type: 'task-retry', ...target });
  const isPending = useBoard((board) => isPendingFor(board, { type: 'task-retry', ...target }));
  const { copied, copyFailed } = text.shell.common;
  return (
    <li
      data-tone={TASK_TONE[failure.state]}
      className="flex flex-col gap-2 rounded-md border-l-4 border-(--tone-solid) bg-(--tone-tint) px-3 py-2 text-sm"
    >
      <div className="flex items-center gap-2">
        <TaskStateIcon state={failure.state} />
        <span className="min-w-0 flex-1 font-medium break-words">{failure.name}</span>
        <span className="text-(--tone-text)">{runText.state[failure.state]}</span>
      </div>
      <p className="line-clamp-6 break-words whitespace-pre-wrap">{failure.error}</p>
      <p className="text-xs">
        {failure.deviceId === null ? null : <span className="font-mono">{failure.deviceId} </span>}
        {failure.atMs === null ? null : (
          <span title={formatFullMoment(failure.atMs)}>{formatMoment(failure.atMs, nowMs)}</span>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          isSmall
          isBusy={isPending}
          unavailableBecause={obstacle}
          onClick={() => command.ask(() => client.retry(target))}
        >
          {runText.panel.retryFromHere}
        </Button>
        <Button isSmall onClick={() => selection.setState({ taskId: failure.taskId })}>
          {runText.panel.open}
        </Button>
        <CopyButton
          value={reportOf(failure, run.runId)}
          label={runText.panel.copyReport}
          doneLabel={copied}
          failedLabel={copyFailed}
        />
      </div>
      <Complaint command={command} />
    </li>
  );
}

function reportOf(failure: Failure, runId: string): string {
  const at = failure.atMs === null ? '' : formatFullMoment(failure.atMs);
  return [
    `run ${runId}`,
    `task ${failure.taskId} (${failure.name})`,
    `device ${failure.deviceId ?? '-'}`,
    `${runText.state[failure.state]} ${at}`,
    failure.error,
  ].join('\n');
}
