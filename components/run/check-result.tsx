'use client';

import { type ReactNode, useMemo } from 'react';
import { ConstellationCanvas } from '@/components/canvas/constellation-canvas';
import { fixedRunView, RunViewProvider } from '@/components/canvas/run-view-source';
import { createTaskSelection, TaskSelectionProvider } from '@/components/canvas/task-selection';
import { runText } from '@/components/text/run-text';
import { Icon } from '@/components/ui/icon';
import type { Fleet } from '@/lib/fleet/device';
import type { Problem } from '@/lib/relay-protocol/http';
import type { Run } from '@/lib/run/run';
import { createRunViewer } from '@/lib/store/selectors/run-view';
import { ProblemList } from './problem-list';

type CheckResultProps = {
  readonly run: Run;
  readonly fleet: Fleet;
  readonly actions: ReactNode;
  /** Why it can become a draft only; null when it can be launched at once. */
  readonly launchObstacle: string | null;
  /** What the relay said to the last try. */
  readonly refusal: Problem | null;
};

/** All of them stand on the page of the draft. */
const WARNINGS_SHOWN_MAX = 100;

/** A valid file: what it holds, what is odd about it, and how it will look. */
export function CheckResult({ run, fleet, actions, launchObstacle, refusal }: CheckResultProps) {
  const words = runText.create;
  const { constellation, warnings } = run;
  const selection = useMemo(createTaskSelection, []);
  const source = useMemo(() => fixedRunView(createRunViewer()(run, fleet)), [run, fleet]);
  return (
    <>
      <div className="flex flex-col gap-3 border-b border-line bg-card p-4">
        <div className="flex flex-wrap items-center gap-2">
          <p className="flex min-w-0 flex-1 items-center gap-2 text-sm font-medium max-sm:basis-full">
            <Icon name="check" className="text-green-solid" />
            <span className="min-w-0 break-words">
              {words.valid(constellation.name, constellation.tasks.size, constellation.lines.size)}
            </span>
          </p>
          <div className="flex gap-2">{actions}</div>
        </div>
        {launchObstacle === null ? null : (
          <p className="text-sm break-words text-amber-text">
            {launchObstacle} {words.draftFirst}
          </p>
        )}
        {refusal === null ? null : (
          <ProblemList
            title={`${words.notCreated}: ${refusal.detail}`}
            problems={(refusal.errors ?? []).map(({ path, message }) => ({ path, message }))}
          />
        )}
        {warnings.length === 0 ? null : (
          <details open className="text-sm">
            <summary className="font-medium text-amber-text">{words.warningsTitle(warnings.length)}</summary>
            <ul
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              tabIndex={0}
              aria-label={words.warnings}
              className="mt-2 flex max-h-40 flex-col gap-1 overflow-y-auto text-xs"
            >
              {warnings.slice(0, WARNINGS_SHOWN_MAX).map((warning) => (
                <li key={`${warning.path} ${warning.message}`} className="break-words">
                  <span className="font-mono text-muted">{words.place(warning.path)}</span> {warning.message}
                </li>
              ))}
              {warnings.length > WARNINGS_SHOWN_MAX ? (
                <li>{words.moreWarnings(warnings.length - WARNINGS_SHOWN_MAX)}</li>
              ) : null}
            </ul>
          </details>
        )}
      </div>
      <div className="min-h-80 flex-1">
        {constellation.tasks.size === 0 ? (
          <p className="p-6 text-sm text-muted">{words.noTasks}</p>
        ) : (
          <TaskSelectionProvider selection={selection}>
            <RunViewProvider source={source}>
              <ConstellationCanvas key={constellation.constellationId} shape={constellation} />
            </RunViewProvider>
          </TaskSelectionProvider>
        )}
      </div>
    </>
  );
}
