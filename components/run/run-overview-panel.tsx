'use client';

import { useNow } from '@/components/providers/constellation-provider';
import { formatAge, formatFullMoment, formatMoment } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { Facts } from '@/components/ui/facts';
import { Notice } from '@/components/ui/notice';
import { FailureStrip } from './failure-strip';
import { LaunchNote } from './launch-note';
import { useLiveRun } from './live-run';
import { Section } from './section';
import { TaskTable } from './task-table';

/** What the side shows while no task is chosen: failures first, then every task, then where the run comes from. */
export function RunOverviewPanel() {
  const { run } = useLiveRun();
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-4 py-3">
      <FailureStrip />
      <CancelNote />
      <LaunchNote />
      <Section title={runText.panel.tasks} level={2}>
        <TaskTable />
      </Section>
      {run.warnings.length === 0 ? null : (
        <details className="text-sm">
          <summary className="text-muted">{runText.panel.warnings(run.warnings.length)}</summary>
          <ul className="mt-2 flex flex-col gap-1.5 text-xs">
            {run.warnings.map((warning) => (
              <li key={`${warning.path} ${warning.message}`} className="break-words">
                <span className="font-mono text-muted">{warning.path}</span> {warning.message}
              </li>
            ))}
          </ul>
        </details>
      )}
      <RunTimes />
    </div>
  );
}

function CancelNote() {
  const { run } = useLiveRun();
  const nowMs = useNow();
  if (run.cancelAsked === null) return null;
  const { actor, atMs, reason } = run.cancelAsked;
  return (
    <Notice tone="neutral" title={runText.panel.cancelAsked(actor, formatAge(nowMs - atMs))}>
      {reason === null || reason === '' ? null : runText.panel.cancelReason(reason)}
    </Notice>
  );
}

function RunTimes() {
  const { run } = useLiveRun();
  const nowMs = useNow();
  const words = runText.page;
  const at = (atMs: number, by: string | null) => (
    <span title={formatFullMoment(atMs)}>
      {formatMoment(atMs, nowMs)} {by === null ? null : runText.task.by(by)}
    </span>
  );
  const facts = [
    { name: words.created, value: at(run.createdAtMs, run.createdBy) },
    ...(run.launchedAtMs === null ? [] : [{ name: words.launched, value: at(run.launchedAtMs, run.launchedBy) }]),
    ...(run.endedAtMs === null ? [] : [{ name: words.ended, value: at(run.endedAtMs, null) }]),
    {
      name: words.constellation,
      value: <span className="font-mono text-xs">{run.constellation.constellationId}</span>,
    },
    { name: words.run, value: <span className="font-mono text-xs">{run.runId}</span> },
  ];
  return <Facts facts={facts} />;
}
