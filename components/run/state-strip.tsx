import { TASK_TONE } from '@/components/status/task-state';
import { TaskStateIcon } from '@/components/status/task-state-icon';
import { runText } from '@/components/text/run-text';
import { stateCounts } from '@/lib/store/selectors/run-overview';
import type { RunView } from '@/lib/store/selectors/run-view';

/** How the tasks of a run stand: a bar by share, and the numbers in words. */
export function StateStrip({ view }: { readonly view: RunView }) {
  const counts = stateCounts(view);
  return (
    <div className="flex h-8 items-center gap-4 overflow-hidden px-4 pb-1 text-xs text-muted">
      <div className="flex h-1.5 w-40 shrink-0 gap-px overflow-hidden rounded-full max-md:w-24" aria-hidden="true">
        {[...counts].reverse().map(({ state, count }) => (
          <span
            key={state}
            data-tone={TASK_TONE[state]}
            className="min-w-0.5 bg-(--tone-solid) data-[tone=neutral]:opacity-50"
            style={{ flexGrow: count, flexBasis: 0 }}
          />
        ))}
      </div>
      <ul aria-label={runText.page.counts} className="flex min-w-0 gap-4 overflow-x-auto whitespace-nowrap">
        {counts.map(({ state, count }) => (
          <li key={state} data-tone={TASK_TONE[state]} className="flex items-center gap-1">
            <TaskStateIcon state={state} />
            <span className="min-w-[2ch] text-right font-medium text-ink tabular-nums">{count}</span>
            {runText.state[state]}
          </li>
        ))}
      </ul>
    </div>
  );
}
