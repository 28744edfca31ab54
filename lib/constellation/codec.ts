import { describeJson } from '@/lib/std/describe-json';
import { constellationIdSchema, type TaskId } from '@/lib/std/ids';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import { CONSTELLATION_STATES, type ConstellationState, fromDocument } from './constellation';
import type { ImportContext } from './import-context';
import {
  addProblem,
  createImportReport,
  type ImportProblem,
  noteUnknownFields,
  type Place,
  readObject,
  readText,
  readTime,
  readTimeOrNow,
  readWord,
  unknownFieldWarnings,
} from './import-report';
import type { ImportWarning } from './import-warning';
import { entriesOf } from './read-entries';
import { readLine } from './read-line';
import { readTask } from './read-task';
import { scanJson } from './scan-json';
import type { TaskOutcome, TaskStar, TaskStarLine } from './task-star';
import { formatTimestamp } from './timestamps';
import { type GraphProblem, validateConstellation } from './validate';
import type { ConstellationRecord } from './write-constellation';

/** A file that was read, and what was read other than it was written. */
export type ConstellationReading = ConstellationRecord & { readonly warnings: readonly ImportWarning[] };

/** JSON nested deeper than this is no plan that anybody wrote. */
const DEPTH_MAX = 200;

/**
 * A constellation from the text of a file, in either form of the reference.
 *
 * @returns all problems at once; a text that is not JSON is named with line and column
 */
export function readConstellationText(
  text: string,
  context: ImportContext,
): Result<ConstellationReading, readonly ImportProblem[]> {
  const scan = scanJson(text);
  if (scan.fault !== null) {
    const { line, column, message } = scan.fault;
    return err([{ rule: 'not_json', path: '', message: `line ${line}, column ${column}: ${message}`, ids: [] }]);
  }
  const parsed = parseJson(text, { depthMax: DEPTH_MAX, protoKey: 'refuse' });
  if (!parsed.ok) return err([{ rule: 'not_json', path: '', message: parsed.error.message, ids: [] }]);
  const twice = scan.duplicates.map(duplicateKeyProblem);
  const read = readConstellation(parsed.value, context);
  if (twice.length === 0) return read;
  return err(read.ok ? twice : [...twice, ...read.error]);
}

/** A key that stands twice is a task that would vanish in silence. */
function duplicateKeyProblem({
  path,
  line,
}: {
  readonly path: readonly string[];
  readonly line: number;
}): ImportProblem {
  const [container = '', id = ''] = path;
  const message = `the key "${path.at(-1)}" stands twice in one object, again in line ${line}; remove or rename one`;
  const rule = path.length !== 2 ? 'shape' : (DUPLICATE_RULES.get(container) ?? 'shape');
  return { rule, path: path.join('.'), message, ids: rule === 'shape' ? [] : [id] };
}

const DUPLICATE_RULES: ReadonlyMap<string, 'duplicate_task' | 'duplicate_line'> = new Map([
  ['tasks', 'duplicate_task'],
  ['dependencies', 'duplicate_line'],
]);

/** The last ones are what a run of ours adds when it is exported. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'constellation_id',
  'name',
  'state',
  'tasks',
  'dependencies',
  'metadata',
  'created_at',
  'updated_at',
  'execution_start_time',
  'execution_end_time',
  'execution_duration',
  'run_id',
  'revision',
  'run_created_at',
  'created_by',
  'launched_at',
  'launched_by',
  'cancel_asked_at',
  'cancel_asked_by',
  'cancel_reason',
  'warnings',
]);

/**
 * A constellation from a JSON value: the saved form (`to_dict`) or the agent's form, tasks and lines in objects or lists,
 * enum words in any letter case. Every silent fallback of the reference becomes a warning.
 */
export function readConstellation(
  value: JsonValue,
  context: ImportContext,
): Result<ConstellationReading, readonly ImportProblem[]> {
  const fields = constellationFields(value);
  if (!fields.ok) return err([{ rule: 'shape', path: '', message: fields.error, ids: [] }]);
  const report = createImportReport(formatTimestamp(context.nowMs));
  const root: Place = { fields: fields.value, path: '', report };
  noteUnknownFields(root, 'constellation', KNOWN_FIELDS);

  const constellationId = readConstellationId(root, context);
  const { tasks, outcomes } = readTasks(root, context);
  const { lines, linePaths } = readLines(root, context);
  const document = {
    constellationId,
    name: readText(root, 'name') || constellationId,
    metadata: readObject(root, 'metadata'),
    createdAt: readTimeOrNow(root, 'created_at'),
    updatedAt: readTimeOrNow(root, 'updated_at'),
    tasks,
    lines,
  };
  const startedAt = readTime(root, 'execution_start_time');
  const endedAt = readTime(root, 'execution_end_time');
  const state = readState(root, tasks, outcomes);
  if (report.problems.every(({ rule }) => !HIDES_GRAPH.has(rule))) {
    for (const problem of validateConstellation(fromDocument(document))) {
      report.problems.push(graphProblem(problem, lines, linePaths));
    }
  }
  if (report.problems.length > 0) return err(report.problems);
  const warnings = [...report.warnings, ...unknownFieldWarnings(report)];
  return ok({ document, outcomes, state, startedAt, endedAt, warnings });
}

type ReadTasks = { readonly tasks: TaskStar[]; readonly outcomes: Map<TaskId, TaskOutcome> };

function readTasks(root: Place, context: ImportContext): ReadTasks {
  const tasks: TaskStar[] = [];
  const outcomes = new Map<TaskId, TaskOutcome>();
  for (const { id, place } of entriesOf(root, { container: 'tasks', idField: 'task_id', word: 'task' }, context)) {
    const read = readTask(place, id);
    if (read === null) continue;
    tasks.push(read.task);
    if (read.outcome !== null) outcomes.set(read.task.taskId, read.outcome);
  }
  return { tasks, outcomes };
}

type ReadLines = { readonly lines: TaskStarLine[]; readonly linePaths: ReadonlyMap<string, string> };

function readLines(root: Place, context: ImportContext): ReadLines {
  const lines: TaskStarLine[] = [];
  const linePaths = new Map<string, string>();
  for (const { id, place } of entriesOf(
    root,
    { container: 'dependencies', idField: 'line_id', word: 'line' },
    context,
  )) {
    const read = readLine(place, id);
    linePaths.set(id, place.path);
    if (read !== null) lines.push(read);
  }
  return { lines, linePaths };
}

/** After one of these, lines would seem to dangle only because of what could not be read. */
const HIDES_GRAPH: ReadonlySet<ImportProblem['rule']> = new Set(['shape', 'task_field', 'id_mismatch']);

const EXPECTED = 'expected a constellation, an object with "tasks" and "dependencies"';

/** Says what came instead, and names the files that are most often taken for one. */
function constellationFields(value: JsonValue): Result<JsonObject, string> {
  if (!isJsonObject(value)) return err(`${EXPECTED}, got ${describeJson(value)}`);
  if (value.tasks !== undefined || typeof value.constellation_id === 'string') return ok(value);
  if (Array.isArray(value.nodes) && isJsonObject(value.connections ?? null)) {
    return err(`${EXPECTED}, got what looks like an n8n workflow ("nodes" and "connections")`);
  }
  if (value.thought !== undefined && isJsonObject(value.constellation ?? null)) {
    return err(`${EXPECTED}, got an agent's reply; import what stands under its "constellation"`);
  }
  return err(`${EXPECTED}, got ${describeJson(value)}`);
}

function readConstellationId(root: Place, context: ImportContext): ConstellationRecord['document']['constellationId'] {
  const stamp = root.report.nowText.replaceAll(/[-:]/g, '').replace('T', '_').slice(0, 15);
  const generated = `constellation_${context.newHex().slice(0, 8)}_${stamp}`;
  const parsed = constellationIdSchema.safeParse(readText(root, 'constellation_id') || generated);
  if (parsed.success) return parsed.data;
  addProblem(root, 'constellation_id', parsed.error.issues[0]?.message ?? 'expected an id');
  return constellationIdSchema.parse(generated);
}

function graphProblem(
  problem: GraphProblem,
  lines: readonly TaskStarLine[],
  linePaths: ReadonlyMap<string, string>,
): ImportProblem {
  const { rule, message } = problem;
  if (rule === 'cycle') {
    const [first, second] = problem.path;
    const line = lines.find(({ fromTaskId, toTaskId }) => fromTaskId === first && toTaskId === second);
    return { rule, path: linePaths.get(line?.lineId ?? '') ?? 'dependencies', message, ids: problem.path };
  }
  const field = rule === 'missing_source' ? 'from_task_id' : 'to_task_id';
  const path = `${linePaths.get(problem.lineId) ?? 'dependencies'}.${field}`;
  return { rule, path, message, ids: [problem.lineId, problem.taskId] };
}

const ENDED: ReadonlySet<ConstellationState> = new Set(['completed', 'failed', 'partially_failed']);

/** Kept as given, unless it says that all is over while tasks are left; being cancelled may leave some. */
function readState(
  root: Place,
  tasks: readonly TaskStar[],
  outcomes: ReadonlyMap<TaskId, TaskOutcome>,
): ConstellationState {
  const state = readWord(root, { name: 'state', words: CONSTELLATION_STATES, fallback: 'created' });
  const left = tasks.filter(({ taskId }) => (outcomes.get(taskId)?.status ?? 'pending') === 'pending').length;
  if (!ENDED.has(state) || left === 0) return state;
  const message = `says ${state}, but ${left} of ${tasks.length} tasks have not ended; ready was taken`;
  root.report.warnings.push({ path: 'state', message });
  return 'ready';
}
