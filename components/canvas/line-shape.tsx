import type { DependencyType } from '@/lib/constellation/task-star';
import type { Point } from './route-lines';

type LineShapeProps = {
  readonly kind: DependencyType;
  readonly path: string;
  /** Where it meets the card that it leads to, from the left. */
  readonly end: Point;
};

/** What is seen of a line: stroke, head and the mark of its kind. Colour and dashes come from the group around it. */
export function LineShape({ kind, path, end }: LineShapeProps) {
  return (
    <>
      <path className="task-line-stroke" d={path} />
      <path
        className="task-line-head"
        d={`M${end.x - 8} ${end.y - 4.5}L${end.x} ${end.y}L${end.x - 8} ${end.y + 4.5}Z`}
      />
      <LineMark kind={kind} x={end.x - 16} y={end.y} />
    </>
  );
}

type LineMarkProps = { readonly kind: DependencyType; readonly x: number; readonly y: number };

function LineMark({ kind, x, y }: LineMarkProps) {
  if (kind === 'success_only') {
    return <path className="task-line-mark" d={`M${x - 5} ${y - 7}l3 3 5 -6`} />;
  }
  if (kind === 'conditional') {
    return <path className="task-line-mark task-line-diamond" d={`M${x - 7} ${y}l5 -5 5 5 -5 5Z`} />;
  }
  return null;
}
