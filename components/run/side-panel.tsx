'use client';

import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useSelectedTaskId } from '@/components/canvas/task-selection';
import { runText } from '@/components/text/run-text';

const DEFAULT_PX = 420;
const MIN_PX = 320;
const MAX_PX = 720;
const STEP_PX = 20;
/** Where the panel has no room beside the graph; the same width as the classes below. */
const BELOW_THE_GRAPH = '(width < 64rem)';
const STORED_AS = 'orrery-details-width';

/** Beside the graph, and always there, so that opening a task moves nothing. Its width is remembered in this browser. */
export function SidePanel({ children }: { readonly children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  useScrollIntoView(panel);
  const [widthPx, setWidthPx] = useState(DEFAULT_PX);
  useEffect(() => setWidthPx(readWidth()), []);
  const resize = (next: number) => {
    const allowed = Math.min(MAX_PX, Math.max(MIN_PX, Math.round(next)));
    setWidthPx(allowed);
    storeWidth(allowed);
  };
  return (
    <aside
      ref={panel}
      aria-label={runText.panel.label}
      className="relative flex min-h-0 shrink-0 flex-col border-line bg-card max-lg:min-h-72 max-lg:w-full! max-lg:border-t lg:border-l"
      style={{ width: widthPx }}
    >
      <Handle widthPx={widthPx} onResize={resize} />
      {children}
    </aside>
  );
}

/** Where the panel stands below the graph, opening a task brings it into sight. */
function useScrollIntoView(panel: RefObject<HTMLElement | null>): void {
  const taskId = useSelectedTaskId();
  useEffect(() => {
    if (taskId !== null && window.matchMedia(BELOW_THE_GRAPH).matches)
      panel.current?.scrollIntoView({ block: 'start' });
  }, [taskId, panel]);
}

function Handle({ widthPx, onResize }: { readonly widthPx: number; readonly onResize: (px: number) => void }) {
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(window.innerWidth - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') onResize(widthPx + STEP_PX);
    else if (event.key === 'ArrowRight') onResize(widthPx - STEP_PX);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved has no element of its own
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={runText.panel.resize}
      aria-valuenow={widthPx}
      aria-valuemin={MIN_PX}
      aria-valuemax={MAX_PX}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-focus/30 focus-visible:bg-focus/50 max-lg:hidden"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={() => onResize(DEFAULT_PX)}
      onKeyDown={onKeyDown}
    />
  );
}

function readWidth(): number {
  try {
    const stored = Number(window.localStorage.getItem(STORED_AS));
    return stored >= MIN_PX && stored <= MAX_PX ? stored : DEFAULT_PX;
  } catch {
    // A browser that forbids storage only forgets the width.
    return DEFAULT_PX;
  }
}

function storeWidth(widthPx: number): void {
  try {
    window.localStorage.setItem(STORED_AS, String(widthPx));
  } catch {
    // As above: the width lasts until the page is closed.
  }
}
