'use client';

import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { LineId, TaskId } from '@/lib/std/ids';
import type { LineView, RunView, TaskView } from '@/lib/store/selectors/run-view';

/** Where the canvas reads a run from: the live board, or a file that was only just read. */
export type RunViewSource = {
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something on the screen changes. */
  readonly getView: () => RunView;
};

const neverChanges = () => () => {};

export function fixedRunView(view: RunView): RunViewSource {
  return { subscribe: neverChanges, getView: () => view };
}

const RunViewContext = createContext<RunViewSource | null>(null);

export function RunViewProvider(props: { readonly source: RunViewSource; readonly children: ReactNode }) {
  return <RunViewContext value={props.source}>{props.children}</RunViewContext>;
}

/** @param select - must give the same object for the same view */
export function useRunView<Value>(select: (view: RunView) => Value): Value {
  const source = useContext(RunViewContext);
  if (source === null) throw new Error('Expected a RunViewProvider around this component');
  const read = () => select(source.getView());
  return useSyncExternalStore(source.subscribe, read, read);
}

/** This task only: others may change without a paint here. */
export function useTaskView(taskId: TaskId): TaskView | undefined {
  return useRunView((view) => view.tasks.get(taskId));
}

export function useLineView(lineId: LineId): LineView | undefined {
  return useRunView((view) => view.lines.get(lineId));
}
