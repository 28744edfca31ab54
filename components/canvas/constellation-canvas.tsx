'use client';

import './canvas.css';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { ReactFlow, ReactFlowProvider, useOnViewportChange, useReactFlow, useStoreApi, type Viewport } from 'reactflow';
import { runText } from '@/components/text/run-text';
import { isPlainKey } from '@/components/ui/plain-key';
import type { Shape } from '@/lib/constellation/graph';
import { NODE_HEIGHT, NODE_WIDTH } from '@/lib/constellation/layout';
import type { TaskId } from '@/lib/std/ids';
import { type CanvasActions, CanvasActionsContext } from './canvas-actions';
import { CanvasControls } from './canvas-controls';
import { neighbourOf } from './canvas-graph';
import { strokeFactorOf } from './detail-level';
import { LineLegend } from './line-legend';
import { createMeasureText } from './measure-text';
import { edgeTypes, nodeTypes } from './node-types';
import type { Point } from './route-lines';
import { useTaskSelection } from './task-selection';
import { useCanvasGraph } from './use-canvas-graph';

/** Above this many cards only those in sight are mounted; below it, mounting while panning costs more than it saves. */
const CULL_FROM_NODES = 150;
const FIT = { padding: 0.06, maxZoom: 1, minZoom: 0.05 };

export type ConstellationCanvasProps = {
  readonly shape: Shape;
  /** Draws over the canvas, in its top left corner. */
  readonly children?: ReactNode;
};

/**
 * The graph of a plan. All tasks are drawn from the start; a change of state moves no card and never the camera, which fits
 * the plan once when the page opens and afterwards obeys the person alone.
 */
export function ConstellationCanvas(props: ConstellationCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ shape, children }: ConstellationCanvasProps) {
  const frame = useRef<HTMLElement>(null);
  const graph = useCanvasGraph(shape);
  const actions = useActions(graph, frame);
  useStrokeFactor(frame);
  useFitKey();
  useShowSelected(graph.positions);
  return (
    <CanvasActionsContext value={actions}>
      <section ref={frame} className="canvas" aria-label={runText.canvas.label}>
        <ReactFlow
          nodes={graph.nodes}
          edges={graph.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          fitView
          fitViewOptions={FIT}
          minZoom={0.05}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          zoomOnDoubleClick={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          onlyRenderVisibleElements={graph.nodes.length >= CULL_FROM_NODES}
        />
        <CanvasControls fit={FIT} />
        <LineLegend />
        {children === undefined ? null : <div className="canvas-corner">{children}</div>}
      </section>
    </CanvasActionsContext>
  );
}

/** One object for the life of the canvas: the graph is read when something is asked, not when the object is made. */
function useActions(
  graph: ReturnType<typeof useCanvasGraph>,
  frame: React.RefObject<HTMLElement | null>,
): CanvasActions {
  const selection = useTaskSelection();
  const flow = useReactFlow();
  const store = useStoreApi();
  const current = useRef(graph);
  current.current = graph;
  return useMemo(() => {
    const showTask = (taskId: TaskId) => {
      const at = current.current.positions.get(taskId);
      if (at === undefined) return;
      const { width, height, transform } = store.getState();
      const [x, y, zoom] = transform;
      const left = at.x * zoom + x;
      const top = at.y * zoom + y;
      const isInSight =
        left >= 0 && top >= 0 && left + NODE_WIDTH * zoom <= width && top + NODE_HEIGHT * zoom <= height;
      if (!isInSight) flow.setCenter(at.x + NODE_WIDTH / 2, at.y + NODE_HEIGHT / 2, { zoom });
    };
    return {
      showTask,
      selectTask: (taskId) => selection.setState({ taskId }),
      walkTo(from, direction) {
        const next = neighbourOf(current.current.positions, from, direction);
        if (next === undefined) return;
        showTask(next);
        // A card that was out of sight is mounted by the next paint.
        requestAnimationFrame(() =>
          frame.current?.querySelector<HTMLElement>(`[data-task-id="${CSS.escape(next)}"]`)?.focus(),
        );
      },
      measureText: createMeasureText(
        frame.current === null ? 'sans-serif' : getComputedStyle(frame.current).fontFamily,
      ),
    };
  }, [selection, flow, store, frame]);
}

/** Strokes thin out with the zoom; this hands CSS the factor that keeps their weight on the screen. */
function useStrokeFactor(frame: React.RefObject<HTMLElement | null>): void {
  const set = (viewport: Viewport) =>
    frame.current?.style.setProperty('--stroke-factor', String(strokeFactorOf(viewport.zoom)));
  useOnViewportChange({ onStart: set, onChange: set, onEnd: set });
}

/** `F` fits the graph, unless somebody types or a dialog is open. */
function useFitKey(): void {
  const { fitView } = useReactFlow();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'f' && isPlainKey(event)) fitView(FIT);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [fitView]);
}

/** A task that was opened from elsewhere than its card is brought into sight, unless some of its card is there already. */
function useShowSelected(positions: ReadonlyMap<TaskId, Point>): void {
  const selection = useTaskSelection();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(
    () =>
      selection.subscribe(({ taskId }) => {
        const at = taskId === null ? undefined : positions.get(taskId);
        if (at === undefined) return;
        const { width, height, transform } = store.getState();
        const [x, y, zoom] = transform;
        const isPartlySeen =
          (at.x + NODE_WIDTH) * zoom + x > 0 &&
          at.x * zoom + x < width &&
          (at.y + NODE_HEIGHT) * zoom + y > 0 &&
          at.y * zoom + y < height;
        if (!isPartlySeen) flow.setCenter(at.x + NODE_WIDTH / 2, at.y + NODE_HEIGHT / 2, { zoom });
      }),
    [selection, flow, store, positions],
  );
}
