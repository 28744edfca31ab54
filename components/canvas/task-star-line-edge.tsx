'use client';

import { memo, useState } from 'react';
import { EdgeLabelRenderer, type EdgeProps } from 'reactflow';
import { runText } from '@/components/text/run-text';
import type { LineView } from '@/lib/store/selectors/run-view';
import type { LineEdge } from './canvas-graph';
import { LineShape } from './line-shape';
import type { Point } from './route-lines';
import { useLineView } from './run-view-source';
import { useIsSelected } from './task-selection';

/** A line of the graph: its kind by dashes and mark, its weight by what it leads into. Never moves by itself. */
export const TaskStarLineEdge = memo(function TaskStarLineEdge({ data }: EdgeProps<LineEdge>) {
  return data === undefined ? null : <Line data={data} />;
});

function Line({ data }: { readonly data: NonNullable<LineEdge['data']> }) {
  const view = useLineView(data.lineId);
  if (view === undefined) return null;
  return <DrawnLine view={view} path={data.path} end={data.end} />;
}

type DrawnLineProps = { readonly view: LineView; readonly path: string; readonly end: Point };

function DrawnLine({ view, path, end }: DrawnLineProps) {
  const isTargetSelected = useIsSelected(view.toTaskId);
  const [isTold, setIsTold] = useState(false);
  const isConditional = view.kind === 'conditional';
  const label = runText.canvas.condition(view.condition);
  const focus = isConditional
    ? { tabIndex: 0, role: 'img', 'aria-label': label, onFocus: () => setIsTold(true), onBlur: () => setIsTold(false) }
    : {};
  return (
    <>
      <g
        className="task-line"
        data-kind={view.kind}
        data-line-state={view.state}
        data-weight={weightOf(view, isTargetSelected)}
        onPointerEnter={() => setIsTold(true)}
        onPointerLeave={() => setIsTold(false)}
        {...focus}
      >
        <path className="task-line-reach" d={path} />
        <LineShape kind={view.kind} path={path} end={end} />
      </g>
      {isTold ? (
        <EdgeLabelRenderer>
          <div
            className="task-line-label"
            style={{ transform: `translate(-100%, -100%) translate(${end.x - 12}px, ${end.y - 10}px)` }}
          >
            {isConditional ? label : runText.line[view.kind]}
          </div>
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
}

function weightOf(view: LineView, isTargetSelected: boolean): 'plain' | 'live' | 'failure' {
  if (view.isIntoFailed && isTargetSelected) return 'failure';
  return view.isIntoLive ? 'live' : 'plain';
}
