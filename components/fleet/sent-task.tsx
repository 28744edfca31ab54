'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import { Complaint } from '@/components/command/complaint';
import { useCommand } from '@/components/command/use-command';
import { useBoard, useConstellationClient, useGate, useStream } from '@/components/providers/constellation-provider';
import { ResultParts } from '@/components/run/result-parts';
import { TaskStateBadge } from '@/components/status/state-badges';
import { TaskTime } from '@/components/status/task-time';
import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { EMPTY_FLEET } from '@/lib/fleet/device';
import { runStream } from '@/lib/relay-protocol/streams';
import { liveAttempt, type Run, type TaskRun } from '@/lib/run/run';
import type { RunId } from '@/lib/std/ids';
import { fleetOf } from '@/lib/store/selectors/fleet-view';
import { createRunViewer } from '@/lib/store/selectors/run-view';

type SentTaskProps = {
  readonly runId: RunId;
  /** Puts the text of the task back into the box, to send it again or to change it. */
  readonly onTakeText: (request: string) => void;
};

/** A run of one task, live, where it was sent. */
export function SentTask({ runId, onTakeText }: SentTaskProps) {
  useStream(useMemo(() => runStream(runId), [runId]));
  const copy = useBoard((state) => state.runs.get(runId));
  const words = text.fleet.task;
  return (
    <section aria-label={words.sent} className="flex flex-col gap-2 rounded-md border border-line p-3 text-sm">
      {copy?.phase === 'ready' ? (
        <ReadyTask run={copy.value} onTakeText={onTakeText} />
      ) : copy?.phase === 'missing' ? (
        <p className="text-muted">{words.gone}</p>
      ) : copy?.phase === 'broken' ? (
        <Notice tone="red">{text.shell.failure.streamBroken(copy.reason)}</Notice>
      ) : (
        <p className="text-muted">{words.loading}</p>
      )}
    </section>
  );
}

type ReadyTaskProps = Pick<SentTaskProps, 'onTakeText'> & { readonly run: Run };

function ReadyTask({ run, onTakeText }: ReadyTaskProps) {
  const fleet = useBoard((state) => fleetOf(state)) ?? EMPTY_FLEET;
  const [viewer] = useState(createRunViewer);
  const [view] = viewer(run, fleet).tasks.values();
  const [task] = run.tasks.values();
  const [star] = run.constellation.tasks.values();
  if (view === undefined || task === undefined) return <p className="text-muted">{text.fleet.task.gone}</p>;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <TaskStateBadge state={view.state} />
        <code className="min-w-0 flex-1 truncate font-mono text-xs" title={view.name}>
          {view.name}
        </code>
        <span className="text-xs text-muted" title={text.fleet.task.elapsed}>
          <TaskTime view={view} />
        </span>
        <CancelTask run={run} task={task} />
        {star === undefined ? null : (
          <Button isSmall icon="edit" onClick={() => onTakeText(star.description)}>
            {text.fleet.task.takeText}
          </Button>
        )}
        <Link href={`/runs/${run.runId}`} className="text-blue-text underline">
          {text.fleet.task.openRun}
        </Link>
      </div>
      {task.error !== null && <Notice tone={view.state === 'unknown' ? 'violet' : 'red'}>{task.error}</Notice>}
      <ResultParts result={task.result} />
    </>
  );
}

function CancelTask({ run, task }: { readonly run: Run; readonly task: TaskRun }) {
  const gate = useGate('task-cancel');
  const client = useConstellationClient();
  const command = useCommand();
  const attempt = liveAttempt(task);
  if (attempt === undefined || attempt.state.phase === 'cancelling') return <Complaint command={command} />;
  return (
    <>
      <Button
        isSmall
        icon="cross"
        isBusy={command.isAsking}
        unavailableBecause={gate.isOpen ? undefined : gate.reason}
        onClick={() => command.ask(() => client.cancelTask({ runId: run.runId, taskId: task.taskId }))}
      >
        {runText.task.cancel}
      </Button>
      <Complaint command={command} />
    </>
  );
}
