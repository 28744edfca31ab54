'use client';

import { useTaskSelection } from '@/components/canvas/task-selection';
import { TASK_TONE } from '@/components/status/task-state';
import { TaskStateIcon } from '@/components/status/task-state-icon';
import { runText } from '@/components/text/run-text';
import type { TaskId } from '@/lib/std/ids';
import type { LineView } from '@/lib/store/selectors/run-view';
import { useLiveRun } from './live-run';
import { Section } from './section';

/** What the task waits for and what waits for it, each a way to go there. */
export function TaskLinks({ taskId }: { readonly taskId: TaskId }) {
  const { view } = useLiveRun();
  const lines = [...view.lines.values()];
  const into = lines.filter((line) => line.toTaskId === taskId);
  const outOf = lines.filter((line) => line.fromTaskId === taskId);
  return (
    <>
      <Section title={runText.task.dependsOn}>
        <LinkList lines={into} otherOf={(line) => line.fromTaskId} />
      </Section>
      <Section title={runText.task.feeds}>
        <LinkList lines={outOf} otherOf={(line) => line.toTaskId} />
      </Section>
    </>
  );
}

type LinkListProps = { readonly lines: readonly LineView[]; readonly otherOf: (line: LineView) => TaskId };

function LinkList({ lines, otherOf }: LinkListProps) {
  const selection = useTaskSelection();
  const { view } = useLiveRun();
  if (lines.length === 0) return <p className="text-sm text-muted">{runText.task.nothing}</p>;
  return (
    <ul className="flex flex-col gap-1">
      {lines.map((line) => {
        const other = otherOf(line);
        const task = view.tasks.get(other);
        const condition =
          line.kind === 'conditional' ? runText.canvas.condition(line.condition) : runText.line[line.kind];
        return (
          <li key={line.lineId}>
            <button
              type="button"
              data-tone={TASK_TONE[task?.state ?? 'unknown']}
              className="flex w-full items-center gap-2 rounded px-1.5 py-1 text-left text-sm hover:bg-hover"
              onClick={() => selection.setState({ taskId: other })}
            >
              <TaskStateIcon state={task?.state ?? 'unknown'} />
              <span className="min-w-0 flex-1">
                <span className="block truncate" title={task?.name ?? other}>
                  {task?.name ?? other}
                </span>
                <span className="block text-xs text-muted">{condition}</span>
              </span>
              <span className="shrink-0 text-xs text-muted">{runText.state[task?.state ?? 'unknown']}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
