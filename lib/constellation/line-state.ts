import { type ConditionEvaluator, conditionOf, evaluateCondition, type TaskFacts } from './condition';
import type { DependencyType, TaskStarLine, TaskStatus } from './task-star';

/** `open`: its prerequisite is not finished. `unmeetable`: it is, in a way that this line does not accept. */
export type LineState = 'open' | 'met' | 'unmeetable';

/** What a line says to each ending of its prerequisite; `condition` asks the condition of the line. */
type Verdict = 'met' | 'unmeetable' | 'condition';

const VERDICTS: Record<DependencyType, Record<'completed' | 'failed' | 'cancelled', Verdict>> = {
  unconditional: { completed: 'met', failed: 'met', cancelled: 'met' },
  completion_only: { completed: 'met', failed: 'met', cancelled: 'met' },
  success_only: { completed: 'met', failed: 'unmeetable', cancelled: 'unmeetable' },
  conditional: { completed: 'condition', failed: 'condition', cancelled: 'unmeetable' },
};

/**
 * Decides by how the prerequisite ended, never by what it returned: a success that returned null is a success.
 *
 * A conditional line without a condition behaves like a success-only one.
 *
 * @param prerequisite - undefined when no such task exists, which no line can be met by
 */
export function lineState(
  line: TaskStarLine,
  prerequisite: TaskFacts | undefined,
  evaluate: ConditionEvaluator = evaluateCondition,
): LineState {
  if (prerequisite === undefined) return 'unmeetable';
  const ending = endingOf(prerequisite.status);
  if (ending === null) return 'open';
  const verdict = VERDICTS[line.dependencyType][ending];
  if (verdict !== 'condition') return verdict;
  return conditionHolds(line, prerequisite, evaluate) ? 'met' : 'unmeetable';
}

function endingOf(status: TaskStatus): 'completed' | 'failed' | 'cancelled' | null {
  return status === 'pending' || status === 'running' ? null : status;
}

function conditionHolds(line: TaskStarLine, facts: TaskFacts, evaluate: ConditionEvaluator): boolean {
  const condition = conditionOf(line);
  if (condition !== null) return evaluate(condition, facts);
  return line.metadata.condition === undefined && facts.status === 'completed';
}
