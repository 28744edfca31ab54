'use client';

import { useEffect, useRef } from 'react';
import { useTaskSelection } from '@/components/canvas/task-selection';
import { TaskStateBadge } from '@/components/status/state-badges';
import { TaskTime } from '@/components/status/task-time';
import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { Notice } from '@/components/ui/notice';
import { liveAttempt } from '@/lib/run/run';
import type { TaskId } from '@/lib/std/ids';
import { useLiveRun } from './live-run';
import { Section } from './section';
import { TaskActions } from './task-actions';
import { TaskAttempts } from './task-attempts';
import { TaskLinks } from './task-links';
import { TaskOutput } from './task-output';
import { TaskPlan } from './task-plan';
import { TaskResultView } from './task-result-view';
import { WaitingNotice } from './waiting-notice';

/** Everything about one task, and what can be done with it now. */
export function TaskInspector({ taskId }: { readonly taskId: TaskId }) {
  const { run, view } = useLiveRun();
  const star = run.constellation.tasks.get(taskId);
  const task = run.tasks.get(taskId);
  const taskView = view.tasks.get(taskId);
  if (star === undefined || task === undefined || taskView === undefined) return <MissingTask />;
  const words = runText.task;
  return (
    <article aria-labelledby="task-heading" className="flex min-h-0 flex-1 flex-col">
      <InspectorHead taskId={taskId} name={taskView.name} />
      <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-4 pt-1 pb-6">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <TaskStateBadge state={taskView.state} />
          <TaskTime view={taskView} />
          {taskView.tryNumber > 0 ? <span>{words.attempt(taskView.tryNumber)}</span> : null}
        </div>
        <WaitingNotice taskId={taskId} />
        <TaskActions key={taskId} taskId={taskId} />
        {task.error !== null && task.error !== '' ? (
          <Section title={words.error} actions={<CopyButton value={task.error} {...copyLabels()} />}>
            <Notice tone={taskView.state === 'unknown' ? 'violet' : task.status === 'failed' ? 'red' : 'neutral'}>
              <p className="whitespace-pre-wrap">{task.error}</p>
              {taskView.state === 'unknown' && task.failureCause === 'outcome-unknown' ? (
                <p className="mt-1">{words.unknownOutcome}</p>
              ) : null}
            </Notice>
          </Section>
        ) : null}
        <TaskOutput
          key={`output of ${taskId}`}
          runId={run.runId}
          taskId={taskId}
          isRunning={liveAttempt(task) !== undefined}
        />
        <TaskResultView result={task.result} />
        <Section title={words.description} actions={<CopyButton value={star.description} {...copyLabels()} />}>
          <p className="text-sm whitespace-pre-wrap">
            {star.description === '' ? words.noDescription : star.description}
          </p>
        </Section>
        {star.tips === null || star.tips.length === 0 ? null : (
          <Section title={words.tips}>
            <ul className="list-disc pl-5 text-sm">
              {star.tips.map((tip) => (
                <li key={tip}>{tip}</li>
              ))}
            </ul>
          </Section>
        )}
        <TaskLinks taskId={taskId} />
        <TaskAttempts attempts={task.attempts} />
        <TaskPlan star={star} task={task} />
      </div>
    </article>
  );
}

function copyLabels() {
  const { copy, copied, copyFailed } = text.shell.common;
  return { label: copy, doneLabel: copied, failedLabel: copyFailed };
}

/** The heading takes the focus when a task is opened, so that a keyboard goes on reading here. */
function InspectorHead({ taskId, name }: { readonly taskId: TaskId; readonly name: string }) {
  const selection = useTaskSelection();
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id says that another task was opened
  useEffect(() => {
    const isByKeyboard = document.activeElement?.matches('[data-task-id]:focus-visible') === true;
    if (isByKeyboard) heading.current?.focus();
  }, [taskId]);
  return (
    <header className="flex items-start gap-2 px-4 pt-3 pb-2">
      <div className="min-w-0 flex-1">
        <h2 id="task-heading" ref={heading} tabIndex={-1} className="text-lg font-semibold break-words">
          {name}
        </h2>
        <p className="font-mono text-xs break-all text-muted">{taskId}</p>
      </div>
      <Button
        look="quiet"
        icon="cross"
        isIconOnly
        aria-label={runText.task.close}
        title={runText.task.close}
        onClick={() => selection.setState({ taskId: null })}
      />
    </header>
  );
}

function MissingTask() {
  const selection = useTaskSelection();
  return (
    <div className="flex flex-col items-start gap-3 p-4 text-sm">
      <p>{runText.panel.notFound}</p>
      <Button onClick={() => selection.setState({ taskId: null })}>{runText.task.close}</Button>
    </div>
  );
}
