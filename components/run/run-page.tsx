'use client';

import Link from 'next/link';
import { memo, useEffect, useMemo, useState } from 'react';
import { ConstellationCanvas } from '@/components/canvas/constellation-canvas';
import { RunViewProvider, type RunViewSource } from '@/components/canvas/run-view-source';
import { TaskSelectionProvider, useSelectedTaskId, useTaskSelection } from '@/components/canvas/task-selection';
import { useBoard, useBoardStore, useStream } from '@/components/providers/constellation-provider';
import { runText } from '@/components/text/run-text';
import { EmptyState } from '@/components/ui/empty-state';
import { ProgressArc } from '@/components/ui/progress-arc';
import { EMPTY_FLEET } from '@/lib/fleet/device';
import { runStream } from '@/lib/relay-protocol/streams';
import type { Run } from '@/lib/run/run';
import { assertNever } from '@/lib/std/assert-never';
import { type RunId, runIdSchema } from '@/lib/std/ids';
import { failuresOf, runWord } from '@/lib/store/selectors/run-overview';
import { createRunViewer } from '@/lib/store/selectors/run-view';
import { type LiveRun, LiveRunProvider } from './live-run';
import { RunOverviewPanel } from './run-overview-panel';
import { RunToolbar } from './run-toolbar';
import { SidePanel } from './side-panel';
import { TaskInspector } from './task-inspector';
import { useFailureKeys } from './use-failure-keys';
import { useSelectionInAddress } from './use-selection-in-address';

/** @param props.runId - from the address, as anybody may have written it */
export function RunPage({ runId }: { readonly runId: string }) {
  const parsed = runIdSchema.safeParse(runId);
  return parsed.success ? <KnownRunPage key={parsed.data} runId={parsed.data} /> : <MissingRun />;
}

function KnownRunPage({ runId }: { readonly runId: RunId }) {
  useStream(useMemo(() => runStream(runId), [runId]));
  const phase = useBoard((board) => {
    const ofRun = board.runs.get(runId)?.phase ?? 'loading';
    // Without the fleet every device would look unknown.
    return ofRun === 'ready' && board.fleet.phase === 'loading' ? 'loading' : ofRun;
  });
  const brokenBecause = useBoard((board) => {
    const copy = board.runs.get(runId);
    return copy?.phase === 'broken' ? copy.reason : '';
  });
  switch (phase) {
    case 'loading':
      return <LoadingRun />;
    case 'missing':
      return <MissingRun />;
    case 'broken':
      return <EmptyState title={runText.page.broken(brokenBecause)} />;
    case 'ready':
      return <ReadyRunPage runId={runId} />;
    default:
      return assertNever(phase);
  }
}

function ReadyRunPage({ runId }: { readonly runId: RunId }) {
  const selection = useSelectionInAddress();
  const store = useBoardStore();
  const [viewer] = useState(createRunViewer);
  const run = useBoard((board) => {
    const copy = board.runs.get(runId);
    return copy?.phase === 'ready' ? copy.value : undefined;
  });
  const fleet = useBoard((board) => (board.fleet.phase === 'ready' ? board.fleet.value : EMPTY_FLEET));
  const source = useMemo<RunViewSource>(() => {
    const empty = { tasks: new Map(), lines: new Map() };
    return {
      subscribe: store.subscribe,
      getView() {
        const board = store.getState();
        const copy = board.runs.get(runId);
        if (copy?.phase !== 'ready') return empty;
        return viewer(copy.value, board.fleet.phase === 'ready' ? board.fleet.value : EMPTY_FLEET);
      },
    };
  }, [store, viewer, runId]);
  if (run === undefined) return <LoadingRun />;
  const live: LiveRun = { run, fleet, view: viewer(run, fleet) };
  return (
    <LiveRunProvider live={live}>
      <TaskSelectionProvider selection={selection}>
        <RunViewProvider source={source}>
          <TabTitle live={live} />
          <div className="flex min-h-0 flex-1 flex-col">
            <RunToolbar />
            <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
              <div className="min-h-0 min-w-0 flex-1 max-lg:h-[55dvh] max-lg:flex-none">
                <Graph shape={run.constellation} />
              </div>
              <SidePanel>
                <SideContent />
              </SidePanel>
            </div>
          </div>
        </RunViewProvider>
      </TaskSelectionProvider>
    </LiveRunProvider>
  );
}

/** Painted anew only when the plan itself changes. */
const Graph = memo(function Graph({ shape }: { readonly shape: Run['constellation'] }) {
  return <ConstellationCanvas shape={shape} />;
});

function SideContent() {
  const taskId = useSelectedTaskId();
  useEscapeKey();
  useFailureKeys();
  return taskId === null ? <RunOverviewPanel /> : <TaskInspector taskId={taskId} />;
}

/** Escape goes back from a task to the list and gives the focus to its card, unless a dialog has the key. */
function useEscapeKey(): void {
  const selection = useTaskSelection();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { taskId } = selection.getState();
      if (event.key !== 'Escape' || taskId === null || event.defaultPrevented) return;
      if (document.querySelector('dialog[open]') !== null) return;
      selection.setState({ taskId: null });
      document.querySelector<HTMLElement>(`[data-task-id="${CSS.escape(taskId)}"]`)?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [selection]);
}

function TabTitle({ live }: { readonly live: LiveRun }) {
  const { run, view } = live;
  const word = runText.word[runWord(run, run.cancelAsked === null ? 'not-asked' : 'asked')];
  const title = runText.page.title(run.constellation.name, word, failuresOf(run, view).length);
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
  return null;
}

function LoadingRun() {
  return (
    <p className="flex items-center gap-2 p-6 text-sm text-muted">
      <ProgressArc />
      {runText.page.loading}
    </p>
  );
}

function MissingRun() {
  return (
    <EmptyState
      isWholePage
      title={runText.page.missingTitle}
      actions={
        <Link href="/" className="underline underline-offset-2">
          {runText.page.toRuns}
        </Link>
      }
    >
      {runText.page.missing}
    </EmptyState>
  );
}
