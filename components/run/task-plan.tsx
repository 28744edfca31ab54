'use client';

import { useNow } from '@/components/providers/constellation-provider';
import { formatDuration, formatFullMoment, formatMoment } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { type Fact, Facts } from '@/components/ui/facts';
import type { TaskStar } from '@/lib/constellation/task-star';
import type { TaskRun } from '@/lib/run/run';
import { Section } from './section';

/** The plan's own numbers, and the times of the task. */
export function TaskPlan({ star, task }: { readonly star: TaskStar; readonly task: TaskRun }) {
  const nowMs = useNow();
  const words = runText.task;
  const at = (atMs: number) => <span title={formatFullMoment(atMs)}>{formatMoment(atMs, nowMs)}</span>;
  const facts: Fact[] = [
    { name: words.priority, value: words.priorities[star.priority] },
    { name: words.timeout, value: star.timeoutMs === null ? words.noTimeout : formatDuration(star.timeoutMs) },
    { name: words.retries, value: star.retryCount },
    ...(star.expectedOutputType === null ? [] : [{ name: words.expectedOutput, value: star.expectedOutputType }]),
    ...(task.startedAtMs === null ? [] : [{ name: words.started, value: at(task.startedAtMs) }]),
    ...(task.endedAtMs === null ? [] : [{ name: words.ended, value: at(task.endedAtMs) }]),
  ];
  return (
    <Section title={words.plan}>
      <Facts facts={facts} />
    </Section>
  );
}
