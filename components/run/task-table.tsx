'use client';

import { useTaskSelection } from '@/components/canvas/task-selection';
import { runText } from '@/components/text/run-text';
import type { TaskView } from '@/lib/store/selectors/run-view';
import { useLiveRun } from './live-run';
import { TASK_TONE } from './task-state';
import { TaskStateIcon } from './task-state-icon';
import { TaskTime } from './task-time';

/** The graph as a list, in the order of the plan: the same tasks, states and selection. */
export function TaskTable() {
  const { view } = useLiveRun();
  const words = runText.panel.columns;
  return (
    <table aria-label={runText.panel.overview} className="w-full table-fixed border-collapse text-left text-sm">
      <thead className="sr-only">
        <tr>
          <th scope="col">{words.task}</th>
          <th scope="col">{words.state}</th>
        </tr>
      </thead>
      <tbody>
        {[...view.tasks.values()].map((task) => (
          <TaskRow key={task.taskId} task={task} />
        ))}
      </tbody>
    </table>
  );
}

function TaskRow({ task }: { readonly task: TaskView }) {
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
      <td className="w-28 py-1 text-right text-xs text-muted">
        <span className="block text-(--tone-text)">{runText.state[task.state]}</span>
        <TaskTime view={task} />
      </td>
    </tr>
  );
}
