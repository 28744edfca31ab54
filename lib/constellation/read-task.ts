import { describeJson } from '@/lib/std/describe-json';
import type { JsonValue } from '@/lib/std/json';
import {
  addProblem,
  addWarning,
  fallbackMessage,
  fieldOf,
  noteUnknownFields,
  type Place,
  pathOf,
  readCount,
  readObject,
  readSeconds,
  readText,
  readTime,
  readTimeOrNow,
  readWord,
} from './import-report';
import {
  DEVICE_TYPES,
  type Priority,
  TASK_STATUSES,
  type TaskOutcome,
  type TaskStar,
  type TaskStatus,
  taskStarSchema,
} from './task-star';

/** The last ones are what a run of ours adds when it is exported. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'task_id',
  'name',
  'description',
  'tips',
  'task_description',
  'target_device_id',
  'device_type',
  'priority',
  'status',
  'result',
  'error',
  'timeout',
  'retry_count',
  'current_retry',
  'task_data',
  'expected_output_type',
  'created_at',
  'updated_at',
  'execution_start_time',
  'execution_end_time',
  'execution_duration',
  'dependencies',
  'dependents',
  'display_state',
  'failure_cause',
  'cancel_cause',
  'blocked_by',
  'waiting_reason',
  'result_blob',
  'attempts',
]);

export type ReadTask = { readonly task: TaskStar; readonly outcome: TaskOutcome | null };

/** @returns null when something in it was reported as a problem */
export function readTask(place: Place, taskId: string): ReadTask | null {
  noteUnknownFields(place, 'task', KNOWN_FIELDS);
  const problemsBefore = place.report.problems.length;
  const description = readText(place, 'description') ?? '';
  if (description === '') addWarning(place, 'description', 'is empty, so its device will be asked for nothing');
  const draft = {
    taskId,
    name: readText(place, 'name') || `task_${taskId.slice(0, 8)}`,
    description,
    tips: readTips(place),
    targetDeviceId: readText(place, 'target_device_id') || null,
    deviceType: readWord(place, { name: 'device_type', words: DEVICE_TYPES, fallback: null }),
    priority: readPriority(place),
    timeoutMs: readSeconds(place, 'timeout'),
    retryCount: readCount(place, 'retry_count'),
    taskData: readObject(place, 'task_data'),
    expectedOutputType: readText(place, 'expected_output_type'),
    createdAt: readTimeOrNow(place, 'created_at'),
    updatedAt: readTimeOrNow(place, 'updated_at'),
  };
  const outcome = readOutcome(place);
  if (place.report.problems.length > problemsBefore) return null;
  const parsed = taskStarSchema.safeParse(draft);
  if (parsed.success) return { task: parsed.data, outcome };
  for (const issue of parsed.error.issues) addProblem(place, fileName(issue.path[0]), issue.message);
  return null;
}

/** The fields whose limits the schema checks, by their names in the file. */
function fileName(field: PropertyKey | undefined): string {
  if (field === 'taskId') return 'task_id';
  return field === 'targetDeviceId' ? 'target_device_id' : String(field ?? '');
}

/** An explicit null stays null, a missing list is an empty one: the reference tells them apart. */
function readTips(place: Place): string[] | null {
  const value = place.fields.tips;
  if (value === null) return null;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    addProblem(place, 'tips', `expected a list of texts, got ${describeJson(value)}`);
    return null;
  }
  const tips: string[] = [];
  for (const [index, tip] of value.entries()) {
    if (typeof tip === 'string') tips.push(tip);
    else addProblem(place, `tips[${index}]`, `expected text, got ${describeJson(tip)}`);
  }
  return tips;
}

const PRIORITY_NAMES: readonly string[] = ['low', 'medium', 'high', 'critical'];
const PRIORITIES: readonly Priority[] = [1, 2, 3, 4];
const MEDIUM: Priority = 2;

function readPriority(place: Place): Priority {
  const value = fieldOf(place, 'priority');
  if (value === undefined) return MEDIUM;
  const priority = priorityFrom(value);
  if (priority !== undefined) return priority;
  addWarning(place, 'priority', fallbackMessage([...PRIORITY_NAMES, ...PRIORITIES], value, 'medium'));
  return MEDIUM;
}

/** `true` counts as 1, as it does for the reference. */
function priorityFrom(value: JsonValue): Priority | undefined {
  if (typeof value === 'string') return PRIORITIES[PRIORITY_NAMES.indexOf(value.toLowerCase())];
  const number = value === true ? 1 : value;
  return PRIORITIES.find((known) => known === number);
}

function readOutcome(place: Place): TaskOutcome | null {
  const error = readText(place, 'error') || null;
  const startedAt = readTime(place, 'execution_start_time');
  const endedAt = readTime(place, 'execution_end_time');
  const currentRetry = readCount(place, 'current_retry');
  const word = readWord(place, { name: 'status', words: TASK_STATUSES, fallback: 'pending' });
  if (word === 'running') {
    const message = 'was running when the file was saved; it starts again as pending';
    place.report.warnings.push({ path: pathOf(place, 'status'), message });
  }
  const status: TaskStatus = word === 'running' || word === 'waiting_dependency' ? 'pending' : word;
  if (status !== 'pending') {
    return { status, result: place.fields.result ?? null, error, startedAt, endedAt, currentRetry };
  }
  if (currentRetry === 0) return null;
  return { status, result: null, error: null, startedAt: null, endedAt: null, currentRetry };
}
