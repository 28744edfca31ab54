import { isJsonObject, type JsonValue } from '@/lib/std/json';
import type { TaskStarLine, TaskStatus } from './task-star';

/** What a condition may look at: how its prerequisite ended. `result` is null when the task failed. */
export type TaskFacts = {
  readonly status: TaskStatus;
  readonly result: JsonValue;
  readonly error: string | null;
};

/** A condition is data, so that it survives a file: `metadata.condition` of its line. */
export type Condition = { readonly language: string; readonly expression: string };

/** Says whether a condition holds; must be pure, and answers false for what it cannot evaluate. */
export type ConditionEvaluator = (condition: Condition, facts: TaskFacts) => boolean;

/** Languages that `evaluateCondition` understands. A condition in another one never holds, and is warned of on import. */
export const CONDITION_LANGUAGES: readonly string[] = [];

/** @returns null when the line has no condition, or one that is not `{language, expression}` in text */
export function conditionOf(line: TaskStarLine): Condition | null {
  const condition = line.metadata.condition;
  if (condition === undefined || !isJsonObject(condition)) return null;
  const { language, expression } = condition;
  if (typeof language !== 'string' || typeof expression !== 'string') return null;
  return { language, expression };
}

/** No language is known yet, so no condition holds: a task behind one is skipped, and never runs by mistake. */
export const evaluateCondition: ConditionEvaluator = () => false;
