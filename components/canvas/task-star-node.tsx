'use client';

import { type KeyboardEvent, memo, useMemo } from 'react';
import { Handle, type NodeProps, Position, type ReactFlowState, useStore } from 'reactflow';
import { useNow } from '@/components/providers/constellation-provider';
import { DeviceKindIcon } from '@/components/status/device-kind-icons';
import { DeviceReachDot } from '@/components/status/device-reach-dot';
import { TASK_TONE } from '@/components/status/task-state';
import { TaskStateIcon } from '@/components/status/task-state-icon';
import { formatDuration, formatTook } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import type { TaskView } from '@/lib/store/selectors/run-view';
import { useCanvasActions } from './canvas-actions';
import type { Direction, TaskNode } from './canvas-graph';
import { type DetailLevel, detailLevelOf } from './detail-level';
import { CARD_NAME, fitName, ZOOMED_OUT_NAME } from './fit-name';
import { useTaskView } from './run-view-source';
import { useIsSelected } from './task-selection';

const WALK: { readonly [key: string]: Direction } = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

const detailOf = (state: ReactFlowState): DetailLevel => detailLevelOf(state.transform[2]);

/** A card of the graph. Fixed in size and place; reads its own task and no other. */
export const TaskStarNode = memo(function TaskStarNode({ data }: NodeProps<TaskNode>) {
  const { taskId } = data;
  const view = useTaskView(taskId);
  const isSelected = useIsSelected(taskId);
  const detail = useStore(detailOf);
  const { selectTask, walkTo, showTask } = useCanvasActions();
  if (view === undefined) return <div className="task-card task-card-missing">{taskId}</div>;

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = WALK[event.key];
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    walkTo(taskId, direction);
  };

  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="task-card"
        data-task-id={taskId}
        data-state={view.state}
        data-tone={TASK_TONE[view.state]}
        data-detail={detail}
        data-selected={isSelected ? '' : undefined}
        aria-label={runText.canvas.taskLabel(view)}
        aria-description={runText.canvas.taskDescription(view)}
        aria-pressed={isSelected}
        onClick={() => selectTask(taskId)}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && showTask(taskId)}
      >
        <span className="task-card-top">
          <TaskStateIcon state={view.state} />
          {detail === 'tile' ? null : <CardName name={view.name} detail={detail} />}
        </span>
        {detail === 'full' ? <CardFoot view={view} /> : null}
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
});

function CardName({ name, detail }: { readonly name: string; readonly detail: DetailLevel }) {
  const { measureText } = useCanvasActions();
  const box = detail === 'name' ? ZOOMED_OUT_NAME : CARD_NAME;
  const fitted = useMemo(() => fitName(name, box, measureText), [name, box, measureText]);
  return (
    <span
      className="task-card-name"
      title={name}
      style={{ fontSize: fitted.fontSizePx, lineHeight: `${fitted.lineHeightPx}px` }}
    >
      {fitted.lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <span key={index}>{line}</span>
      ))}
    </span>
  );
}

function CardFoot({ view }: { readonly view: TaskView }) {
  return (
    <span className="task-card-foot">
      <span className="task-card-device" title={runText.canvas.deviceTitle(view)}>
        <span className="task-card-glyph">
          <DeviceKindIcon os={view.deviceKind ?? 'unknown'} />
          <DeviceReachDot reach={view.deviceReach} />
        </span>
        <span className="task-card-device-name">{view.deviceName ?? runText.reach.unnamed}</span>
      </span>
      <span className="task-card-facts">
        <span className="task-card-word">{runText.state[view.state]}</span>
        <CardTime view={view} />
        {view.tryNumber > 1 ? <span>{runText.canvas.tries(view)}</span> : null}
      </span>
    </span>
  );
}

function CardTime({ view }: { readonly view: TaskView }) {
  if (view.runningSinceMs !== null) return <Elapsed sinceMs={view.runningSinceMs} />;
  if (view.durationMs !== null) return <span>{formatTook(view.durationMs)}</span>;
  return null;
}

/** Alone, so that the clock paints these few letters and nothing else. */
function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <span>{formatDuration(useNow() - sinceMs)}</span>;
}
