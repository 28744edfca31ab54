'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TaskId } from '@/lib/std/ids';

/** Which task is looked at; view state of this page, never sent. */
export type TaskSelection = StoreApi<{ readonly taskId: TaskId | null }>;

export function createTaskSelection(): TaskSelection {
  return createStore(() => ({ taskId: null }));
}

const SelectionContext = createContext<TaskSelection | null>(null);

export function TaskSelectionProvider(props: { readonly selection: TaskSelection; readonly children: ReactNode }) {
  return <SelectionContext value={props.selection}>{props.children}</SelectionContext>;
}

export function useTaskSelection(): TaskSelection {
  const selection = useContext(SelectionContext);
  if (selection === null) throw new Error('Expected a TaskSelectionProvider around this component');
  return selection;
}

export function useSelectedTaskId(): TaskId | null {
  return useStore(useTaskSelection(), (state) => state.taskId);
}

/** Paints only the two cards between which the selection moves. */
export function useIsSelected(taskId: TaskId): boolean {
  return useStore(useTaskSelection(), (state) => state.taskId === taskId);
}
