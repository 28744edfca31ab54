import type { LineId, TaskId } from '@/lib/std/ids';
import type { TaskFacts } from './condition';
import {
  type ConstellationDocument,
  type ConstellationState,
  fromDocument,
  type ImportedOutcomes,
} from './constellation';
import type { ConstellationForm, LineForm, TaskForm } from './constellation-form';
import { graphOf } from './graph';
import { type LineState, lineState } from './line-state';
import type { TaskOutcome, TaskStar, TaskStarLine } from './task-star';
import { millisecondsOf } from './timestamps';

/** A plan and how far it has come, as a file holds both. */
export type ConstellationRecord = {
  readonly document: ConstellationDocument;
  /** Tasks without an entry are pending. */
  readonly outcomes: ImportedOutcomes;
  readonly state: ConstellationState;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};

const PENDING: TaskOutcome = {
  status: 'pending',
  result: null,
  error: null,
  startedAt: null,
  endedAt: null,
  currentRetry: 0,
};

/** The reference's own form. What it derives from lines and tasks is derived here too, never copied from an import. */
export function writeConstellation(record: ConstellationRecord): ConstellationForm {
  const { document, outcomes, state, startedAt, endedAt } = record;
  const constellation = fromDocument(document);
  const graph = graphOf(constellation);
  const outcomeOf = (taskId: TaskId) => outcomes.get(taskId) ?? PENDING;
  const states = new Map<LineId, LineState>();
  for (const line of document.lines) states.set(line.lineId, lineState(line, factsOf(outcomeOf(line.fromTaskId))));
  const tasks: [string, TaskForm][] = document.tasks.map((task) => {
    const awaited = (graph.incoming.get(task.taskId) ?? []).filter((line) => states.get(line.lineId) !== 'met');
    return [
      task.taskId,
      {
        ...writeTask(task, outcomeOf(task.taskId)),
        dependencies: unique(awaited.map((line) => line.fromTaskId)),
        dependents: unique((graph.outgoing.get(task.taskId) ?? []).map((line) => line.toTaskId)),
      },
    ];
  });
  const lines: [string, LineForm][] = document.lines.map((line) => [
    line.lineId,
    writeLine(line, states.get(line.lineId) ?? 'open', outcomeOf(line.fromTaskId)),
  ]);
  return {
    constellation_id: document.constellationId,
    name: document.name,
    state,
    tasks: Object.fromEntries(tasks),
    dependencies: Object.fromEntries(lines),
    metadata: document.metadata,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
    execution_start_time: startedAt,
    execution_end_time: endedAt,
    execution_duration: durationSeconds(startedAt, endedAt),
  };
}

function factsOf({ status, result, error }: TaskOutcome): TaskFacts {
  return { status, result: status === 'completed' ? result : null, error };
}

/** The reference keeps these as sets. */
function unique(ids: readonly TaskId[]): string[] {
  return [...new Set(ids)];
}

function writeTask(task: TaskStar, outcome: TaskOutcome): Omit<TaskForm, 'dependencies' | 'dependents'> {
  return {
    task_id: task.taskId,
    name: task.name,
    description: task.description,
    tips: task.tips === null ? null : [...task.tips],
    task_description: task.description,
    target_device_id: task.targetDeviceId,
    device_type: task.deviceType,
    priority: task.priority,
    status: outcome.status,
    result: outcome.result,
    error: outcome.error,
    timeout: task.timeoutMs === null ? null : task.timeoutMs / 1000,
    retry_count: task.retryCount,
    current_retry: outcome.currentRetry,
    task_data: task.taskData,
    expected_output_type: task.expectedOutputType,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    execution_start_time: outcome.startedAt,
    execution_end_time: outcome.endedAt,
    execution_duration: durationSeconds(outcome.startedAt, outcome.endedAt),
  };
}

function writeLine(line: TaskStarLine, state: LineState, prerequisite: TaskOutcome): LineForm {
  return {
    line_id: line.lineId,
    from_task_id: line.fromTaskId,
    to_task_id: line.toTaskId,
    dependency_type: line.dependencyType,
    condition_description: line.conditionDescription,
    metadata: line.metadata,
    is_satisfied: state === 'met',
    last_evaluation_result: state === 'open' ? null : state === 'met',
    last_evaluation_time: state === 'open' ? null : prerequisite.endedAt,
    created_at: line.createdAt,
    updated_at: line.updatedAt,
  };
}

function durationSeconds(startedAt: string | null, endedAt: string | null): number | null {
  const startedAtMs = millisecondsOf(startedAt);
  const endedAtMs = millisecondsOf(endedAt);
  if (startedAtMs === null || endedAtMs === null) return null;
  return Math.round((endedAtMs - startedAtMs) * 1000) / 1_000_000;
}
