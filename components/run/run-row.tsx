'use client';

import Link from 'next/link';
import { memo } from 'react';
import { useNow } from '@/components/providers/constellation-provider';
import { RunStateBadge } from '@/components/status/state-badges';
import { TASK_TONE } from '@/components/status/task-state';
import { Elapsed } from '@/components/status/task-time';
import { formatFullMoment, formatMoment, formatTook } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { CELL, ROW, WHOLE_LINE } from '@/components/ui/data-table';
import type { TaskStatus } from '@/lib/constellation/task-star';
import type { RunSummary } from '@/lib/run/run-summary';
import { runWord } from '@/lib/store/selectors/run-overview';

/** One run of the list; paints only when its own summary changed. */
export const RunRow = memo(function RunRow({ summary }: { readonly summary: RunSummary }) {
  const nowMs = useNow();
  const { runId, name, firstFailure, createdAtMs, createdBy } = summary;
  const atMs = summary.launchedAtMs ?? createdAtMs;
  return (
    <tr className={`${ROW} max-sm:grid-cols-[1fr_auto]`}>
      <td className={CELL}>
        <RunStateBadge word={runWord(summary)} />
      </td>
      <td className={`${CELL} ${WHOLE_LINE} max-w-0 min-w-56 max-sm:order-1 max-sm:max-w-none max-sm:min-w-0`}>
        <Link href={`/runs/${runId}`} className="block truncate font-medium hover:underline" title={name}>
          {name === '' ? runText.page.unnamed : name}
        </Link>
        {firstFailure === null ? null : (
          <span
            className="block truncate text-xs text-red-text"
            title={runText.list.failure(firstFailure.name, firstFailure.error)}
          >
            {runText.list.failure(firstFailure.name, firstFailure.error)}
          </span>
        )}
      </td>
      <td className={`${CELL} ${WHOLE_LINE} max-sm:order-2`}>
        <CountStrip summary={summary} />
      </td>
      <td className={`${CELL} max-sm:order-3 max-sm:text-xs max-sm:text-muted`}>{createdBy}</td>
      <td
        className={`${CELL} whitespace-nowrap tabular-nums max-sm:order-3 max-sm:text-xs max-sm:text-muted`}
        title={formatFullMoment(atMs)}
      >
        {formatMoment(atMs, nowMs)}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap tabular-nums`}>
        <Duration summary={summary} />
      </td>
    </tr>
  );
});

function Duration({ summary }: { readonly summary: RunSummary }) {
  const sinceMs = summary.launchedAtMs ?? summary.startedAtMs;
  if (sinceMs === null) return null;
  return summary.endedAtMs === null ? <Elapsed sinceMs={sinceMs} /> : formatTook(summary.endedAtMs - sinceMs);
}

/** The stored words, from what is done to what is still to come. */
const STRIP: readonly TaskStatus[] = ['completed', 'running', 'failed', 'cancelled', 'pending'];

function CountStrip({ summary }: { readonly summary: RunSummary }) {
  const { counts, taskCount } = summary;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex h-1.5 w-40 gap-px overflow-hidden rounded-full" aria-hidden="true">
        {STRIP.filter((status) => counts[status] > 0).map((status) => (
          <span
            key={status}
            data-tone={TASK_TONE[status]}
            className="min-w-0.5 bg-(--tone-solid) data-[tone=neutral]:opacity-40"
            style={{ flexGrow: counts[status], flexBasis: 0 }}
          />
        ))}
      </div>
      <span className="text-xs text-muted">{runText.list.counts({ ...counts, taskCount })}</span>
    </div>
  );
}
