'use client';

import { memo, useState } from 'react';
import { useTaskSelection } from '@/components/canvas/task-selection';
import { TASK_TONE } from '@/components/status/task-state';
import { TaskStateIcon } from '@/components/status/task-state-icon';
import { TaskTime } from '@/components/status/task-time';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import type { TaskView } from '@/lib/store/selectors/run-view';
import { useLiveRun } from './live-run';

/** More rows than anybody reads at once; the rest comes by request. */
const PAGE_ROWS = 200;

/** The graph as a list, in the order of the plan: the same tasks, states and selection. */
export function TaskTable() {
  const { view } = useLiveRun();
  const [rowsMax, setRowsMax] = useState(PAGE_ROWS);
  const words = runText.panel.columns;
  const tasks = [...view.tasks.values()];
  return (
    <>
      <table aria-label={runText.panel.overview} className="w-full table-fixed border-collapse text-left text-sm">
        <colgroup>
          <col />
          <col className="w-24" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">{words.task}</th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {tasks.slice(0, rowsMax).map((task) => (
            <TaskRow key={task.taskId} task={task} />
          ))}
        </tbody>
      </table>
      {tasks.length > rowsMax ? (
        <Button className="self-start" onClick={() => setRowsMax(rowsMax + PAGE_ROWS)}>
          {runText.list.more(Math.min(PAGE_ROWS, tasks.length - rowsMax))}
        </Button>
      ) : null}
    </>
  );
}

/** Paints only when its own task looks different. */
const TaskRow = memo(function TaskRow({ task }: { readonly task: TaskView }) {
  const selection = useTaskSelection();
  return (
    <tr data-tone={TASK_TONE[task.state]} className="border-b border-line last:border-b-0">
      <td className="py-1">
        <button
          type="button"
          className="flex w-full items-center gap-2 rounded px-1 py-0.5 text-left hover:bg-hover"
          onClick={() => selection.setState({ taskId: task.taskId })}
        >
          <TaskStateIcon state={task.state} />
          <span className="min-w-0 flex-1">
            <span className="block truncate" title={task.name}>
              {task.name}
            </span>
            <span className="block truncate text-xs text-muted">{task.deviceName ?? runText.reach.unnamed}</span>
          </span>
        </button>
      </td>
      <td className="py-1 text-right text-xs text-muted">
        <span className="block text-(--tone-text)">{runText.state[task.state]}</span>
        <TaskTime view={task} />
      </td>
    </tr>
  );
});
