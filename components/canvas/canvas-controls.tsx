'use client';

import { type FitViewOptions, useReactFlow } from 'reactflow';
import { runText } from '@/components/text/run-text';

const STEP_MS = 120;

/** The camera moves only by these, by the wheel and by dragging. */
export function CanvasControls({ fit }: { readonly fit: FitViewOptions }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const words = runText.canvas;
  return (
    <div className="canvas-controls">
      <ControlButton label={words.zoomIn} path="M8 3v10M3 8h10" onClick={() => zoomIn({ duration: stepMs() })} />
      <ControlButton label={words.zoomOut} path="M3 8h10" onClick={() => zoomOut({ duration: stepMs() })} />
      <ControlButton
        label={words.fit}
        path="M3 6V3h3m4 0h3v3m0 4v3h-3m-4 0H3v-3"
        onClick={() => fitView({ ...fit, duration: stepMs() })}
      />
    </div>
  );
}

function ControlButton(props: { readonly label: string; readonly path: string; readonly onClick: () => void }) {
  return (
    <button
      type="button"
      className="canvas-control"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={props.path} fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
      </svg>
    </button>
  );
}

/** Who asked for less motion gets a cut. */
function stepMs(): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : STEP_MS;
}
