import { describeJson } from '@/lib/std/describe-json';
import { CONDITION_LANGUAGES, conditionOf } from './condition';
import {
  addProblem,
  addWarning,
  fieldOf,
  noteUnknownFields,
  type Place,
  readObject,
  readText,
  readTimeOrNow,
  readWord,
} from './import-report';
import { DEPENDENCY_TYPES, type TaskStarLine, taskStarLineSchema } from './task-star';

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'line_id',
  'from_task_id',
  'to_task_id',
  'dependency_type',
  'condition_description',
  'metadata',
  'is_satisfied',
  'last_evaluation_result',
  'last_evaluation_time',
  'created_at',
  'updated_at',
]);

/** @returns null when something in it was reported as a problem */
export function readLine(place: Place, lineId: string): TaskStarLine | null {
  noteUnknownFields(place, 'line', KNOWN_FIELDS);
  const problemsBefore = place.report.problems.length;
  const draft = {
    lineId,
    fromTaskId: readEnd(place, 'from_task_id'),
    toTaskId: readEnd(place, 'to_task_id'),
    dependencyType: readWord(place, { name: 'dependency_type', words: DEPENDENCY_TYPES, fallback: 'unconditional' }),
    conditionDescription: readText(place, 'condition_description') ?? '',
    metadata: readObject(place, 'metadata'),
    createdAt: readTimeOrNow(place, 'created_at'),
    updatedAt: readTimeOrNow(place, 'updated_at'),
  };
  if (place.report.problems.length > problemsBefore) return null;
  const parsed = taskStarLineSchema.safeParse(draft);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) addProblem(place, FILE_NAMES.get(issue.path[0]) ?? '', issue.message);
    return null;
  }
  warnOfCondition(place, parsed.data);
  return parsed.data;
}

const FILE_NAMES: ReadonlyMap<PropertyKey | undefined, string> = new Map([
  ['lineId', 'line_id'],
  ['fromTaskId', 'from_task_id'],
  ['toTaskId', 'to_task_id'],
  ['conditionDescription', 'condition_description'],
]);

function readEnd(place: Place, name: 'from_task_id' | 'to_task_id'): string {
  const value = fieldOf(place, name);
  if (typeof value === 'string' && value !== '') return value;
  addProblem(place, name, `expected the id of a task, got ${describeJson(value)}`);
  return '';
}

/** A condition decides whether tasks run at all, so what cannot be evaluated is said aloud. */
function warnOfCondition(place: Place, line: TaskStarLine): void {
  if (line.dependencyType !== 'conditional') return;
  const raw = line.metadata.condition;
  if (raw === undefined) {
    const message = 'is conditional, but its condition is words only; it is met when the prerequisite completes';
    addWarning(place, 'condition_description', message);
    return;
  }
  const condition = conditionOf(line);
  if (condition === null) {
    addWarning(
      place,
      'metadata.condition',
      `expected {language, expression} in text, got ${describeJson(raw)}; it never holds`,
    );
  } else if (!CONDITION_LANGUAGES.includes(condition.language)) {
    const known = CONDITION_LANGUAGES.length === 0 ? 'none yet' : CONDITION_LANGUAGES.join(', ');
    const message = `the language "${condition.language}" is not known (known: ${known}); the condition never holds, so what hangs on it is skipped`;
    addWarning(place, 'metadata.condition.language', message);
  }
}
