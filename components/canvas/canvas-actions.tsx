'use client';

import { createContext, useContext } from 'react';
import type { TaskId } from '@/lib/std/ids';
import type { Direction } from './canvas-graph';
import type { MeasureText } from './fit-name';

/** What cards may ask of the canvas. Stable for its whole life, so that no card paints because of it. */
export type CanvasActions = {
  readonly selectTask: (taskId: TaskId) => void;
  /** Moves the focus to the next card in a direction. */
  readonly walkTo: (from: TaskId, direction: Direction) => void;
  /** Brings a card that the keyboard has reached into sight. */
  readonly showTask: (taskId: TaskId) => void;
  readonly measureText: MeasureText;
};

export const CanvasActionsContext = createContext<CanvasActions | null>(null);

export function useCanvasActions(): CanvasActions {
  const actions = useContext(CanvasActionsContext);
  if (actions === null) throw new Error('Expected to be inside of ConstellationCanvas');
  return actions;
}
