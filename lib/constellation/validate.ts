import type { LineId, TaskId } from '@/lib/std/ids';
import { cyclePath, type Shape } from './graph';

/** What is wrong with the shape of a plan, one entry per defect. */
export type GraphProblem =
  | { readonly rule: 'missing_source'; readonly lineId: LineId; readonly taskId: TaskId; readonly message: string }
  | { readonly rule: 'missing_target'; readonly lineId: LineId; readonly taskId: TaskId; readonly message: string }
  | { readonly rule: 'cycle'; readonly path: readonly TaskId[]; readonly message: string };

/**
 * References first, then cycles over the tasks that exist, so that a dangling line neither looks like a cycle nor
 * hides one. Iterative: a chain of 10,000 tasks costs no stack.
 */
export function validateConstellation(shape: Shape): GraphProblem[] {
  const problems: GraphProblem[] = [];
  for (const { lineId, fromTaskId, toTaskId } of shape.lines.values()) {
    if (!shape.tasks.has(fromTaskId)) {
      const message = `line "${lineId}" comes from "${fromTaskId}", but there is no such task`;
      problems.push({ rule: 'missing_source', lineId, taskId: fromTaskId, message });
    }
    if (!shape.tasks.has(toTaskId)) {
      const message = `line "${lineId}" leads to "${toTaskId}", but there is no such task`;
      problems.push({ rule: 'missing_target', lineId, taskId: toTaskId, message });
    }
  }
  const path = cyclePath(shape);
  if (path !== null) problems.push({ rule: 'cycle', path, message: `the lines form a cycle: ${describePath(path)}` });
  return problems;
}

const SHOWN_MAX = 12;

/** Long cycles are shown by their two ends; the whole path stands in the problem itself. */
function describePath(path: readonly TaskId[]): string {
  if (path.length <= SHOWN_MAX) return path.join(' → ');
  const half = SHOWN_MAX / 2;
  return [...path.slice(0, half), `… ${path.length - SHOWN_MAX} more …`, ...path.slice(-half)].join(' → ');
}
