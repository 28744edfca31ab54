'use client';

import Link from 'next/link';
import { useTaskSelection } from '@/components/canvas/task-selection';
import { useNow } from '@/components/providers/constellation-provider';
import { formatAge } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { Notice } from '@/components/ui/notice';
import { liveAttempt } from '@/lib/run/run';
import { type WaitingBlocker, waitingReason } from '@/lib/run/waiting-reason';
import type { TaskId } from '@/lib/std/ids';
import { useLiveRun } from './live-run';

/** One sentence on why the task does not run, and a way to what is in the way. */
export function WaitingNotice({ taskId }: { readonly taskId: TaskId }) {
  const { run, fleet } = useLiveRun();
  const task = run.tasks.get(taskId);
  const live = task === undefined ? undefined : liveAttempt(task);
  if (live?.state.phase === 'cancelling') return <CancellingNotice askedAtMs={live.state.askedAtMs} />;
  const reason = waitingReason(run, fleet, taskId);
  if (reason === null) return null;
  const isPlain = reason.code === 'not-launched' || reason.code === 'next';
  return (
    <Notice
      tone={isPlain ? 'neutral' : 'amber'}
      title={runText.task.why}
      {...(reason.blocker === null ? {} : { actions: <GoTo blocker={reason.blocker} /> })}
    >
      {reason.text}.
    </Notice>
  );
}

function CancellingNotice({ askedAtMs }: { readonly askedAtMs: number }) {
  return <Notice tone="amber">{runText.task.cancelling(formatAge(useNow() - askedAtMs))}</Notice>;
}

const LINK = 'underline underline-offset-2';

function GoTo({ blocker }: { readonly blocker: WaitingBlocker }) {
  const selection = useTaskSelection();
  if (blocker.kind === 'device') {
    return (
      <Link className={LINK} href={`/devices/${encodeURIComponent(blocker.deviceId)}`}>
        {runText.task.goTo}
      </Link>
    );
  }
  return (
    <button type="button" className={LINK} onClick={() => selection.setState({ taskId: blocker.taskId })}>
      {runText.task.goTo}
    </button>
  );
}
