import { runText } from '@/components/text/run-text';
import type { DependencyType } from '@/lib/constellation/task-star';
import { LineShape } from './line-shape';

const KINDS: readonly DependencyType[] = ['unconditional', 'success_only', 'completion_only', 'conditional'];

/** What dashes and marks mean; closed until somebody asks. */
export function LineLegend() {
  return (
    <details className="canvas-legend">
      <summary>{runText.canvas.legend}</summary>
      <ul>
        {KINDS.map((kind) => (
          <li key={kind}>
            <Sample kind={kind} state="open" />
            {runText.canvas.legendLine(kind)}
          </li>
        ))}
        <li>
          <Sample kind="unconditional" state="unmeetable" />
          {runText.canvas.legendNotTaken}
        </li>
      </ul>
    </details>
  );
}

function Sample({ kind, state }: { readonly kind: DependencyType; readonly state: 'open' | 'unmeetable' }) {
  return (
    <svg viewBox="0 0 56 20" width="56" height="20" aria-hidden="true">
      <g className="task-line" data-kind={kind} data-line-state={state}>
        <LineShape kind={kind} path="M2 12H53" end={{ x: 54, y: 12 }} />
      </g>
    </svg>
  );
}
