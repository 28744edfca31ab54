import { expect, test } from 'vitest';
import { z } from 'zod';
import { type JsonObject, type JsonValue, jsonObjectSchema, jsonValueSchema } from '@/lib/std/json';
import { readConstellation } from './codec';
import { fromDocument } from './constellation';
import type { Progress } from './readiness';
import { requestText } from './request-text';
import { anImportContext } from './testing/import-context';
import { blockedTasks, readyTasks, topologicalOrder } from './testing/plan-lists';
import agentSchema from './testing/vectors/agent_schema.json';
import requestTexts from './testing/vectors/request_text.json';
import serialization from './testing/vectors/serialization.json';
import shapes from './testing/vectors/shapes.json';
import validation from './testing/vectors/validation.json';
import { writeConstellation } from './write-constellation';

const GENERATED = '<generated>';

function importOf(value: JsonValue) {
  return readConstellation(value, anImportContext());
}

function written(value: JsonValue): JsonObject {
  const read = importOf(value);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return jsonObjectSchema.parse(JSON.parse(JSON.stringify(writeConstellation(read.value))));
}

function rulesOf(value: JsonValue): string[] {
  const read = importOf(value);
  return read.ok ? [] : [...new Set(read.error.map(({ rule }) => rule))].sort();
}

const inner = (value: JsonObject, container: string, id: string): JsonValue | undefined =>
  jsonObjectSchema.parse(value[container])[id];

test.each(requestTexts.cases)('the request text of $id is that of the reference', ({ task, expected }) => {
  expect(requestText(task)).toBe(expected.request);
});

const roundTripSchema = z.object({
  id: z.string(),
  class: z.enum(['TaskStar', 'TaskStarLine', 'TaskConstellation']),
  input: jsonObjectSchema,
  expected: z.object({ output: jsonObjectSchema.optional() }),
  recommended: jsonObjectSchema.optional(),
});
const roundTrips = serialization.cases
  .filter((one) => one.class.startsWith('Task'))
  .map((one) => roundTripSchema.parse(one));

test.each(roundTrips.filter((one) => one.expected.output === undefined))(
  '$id is refused, as by the reference',
  (one) => {
    const value = one.class === 'TaskStarLine' ? { tasks: {}, dependencies: [one.input] } : one.input;
    expect(rulesOf(value)).toEqual(['shape']);
  },
);

/** What we read otherwise on purpose: waiting is derived, and lines are satisfied by their tasks alone. */
const DERIVED = {
  TaskStar: ['status'],
  TaskStarLine: ['is_satisfied', 'last_evaluation_result', 'last_evaluation_time'],
};

test.each(roundTrips.filter((one) => one.expected.output !== undefined))(
  '$id is written as by the reference',
  (one) => {
    const expected: JsonObject = { ...one.expected.output, ...one.recommended };
    const got = roundTrip(one.class, one.input);
    const skipped = one.class === 'TaskConstellation' ? [] : derivedOf(one.class, expected);
    for (const [key, value] of Object.entries(expected)) {
      if (value === GENERATED) expect(got[key]).toEqual(expect.any(String));
      else if (!skipped.includes(key)) expect({ [key]: got[key] }).toEqual({ [key]: value });
    }
    expect(Object.keys(got).sort()).toEqual(Object.keys(expected).sort());
  },
);

function derivedOf(kind: 'TaskStar' | 'TaskStarLine', expected: JsonObject): readonly string[] {
  return kind === 'TaskStar' && expected.status !== 'waiting_dependency' ? [] : DERIVED[kind];
}

function roundTrip(kind: z.infer<typeof roundTripSchema>['class'], input: JsonObject): JsonObject {
  if (kind === 'TaskConstellation') return written(input);
  if (kind === 'TaskStar') {
    return firstOf(written({ constellation_id: 'c', tasks: [input], dependencies: {} }), 'tasks');
  }
  const ends = [input.from_task_id, input.to_task_id].map((id) => ({ task_id: id ?? null, description: 'x' }));
  return firstOf(written({ constellation_id: 'c', tasks: ends, dependencies: [input] }), 'dependencies');
}

function firstOf(value: JsonObject, container: string): JsonObject {
  const [id = ''] = Object.keys(jsonObjectSchema.parse(value[container]));
  return jsonObjectSchema.parse(inner(value, container, id));
}

const tableSchema = z.object({
  input: z.array(jsonValueSchema),
  expected: z.object({ output: z.array(jsonValueSchema) }),
});
const tableOf = (id: string) => {
  const table = tableSchema.parse(serialization.cases.find((one) => one.id === id));
  return table.input.map((input, index) => ({ input, output: table.expected.output[index] ?? null }));
};
const PRIORITY_WORDS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
const ENUM_FIELDS = {
  parse_priority: (input: JsonValue) => {
    const task = firstOf(written({ tasks: [{ task_id: 't', description: 'x', priority: input }] }), 'tasks');
    return PRIORITY_WORDS[Number(task.priority) - 1] ?? null;
  },
  parse_device_type: (input: JsonValue) =>
    firstOf(written({ tasks: [{ task_id: 't', description: 'x', device_type: input }] }), 'tasks').device_type ?? null,
  parse_dependency_type: (input: JsonValue) => roundTrip('TaskStarLine', lineOfType(input)).dependency_type ?? null,
};

function lineOfType(type: JsonValue): JsonObject {
  return { line_id: 'l', from_task_id: 'a', to_task_id: 'b', dependency_type: type };
}

for (const [table, read] of Object.entries(ENUM_FIELDS)) {
  test.each(tableOf(table))(`${table}: $input is read as $output`, ({ input, output }) => {
    expect(read(input)).toBe(output);
  });
}

test.each(tableOf('parse_status'))('parse_status: $input is read as $output, unfinished ones as pending', (row) => {
  const task = firstOf(written({ tasks: [{ task_id: 't', description: 'x', status: row.input }] }), 'tasks');
  const isUnfinished = row.output === 'running' || row.output === 'waiting_dependency';
  expect(task.status).toBe(isUnfinished ? 'pending' : row.output);
});

test.each(tableOf('parse_constellation_state'))('parse_constellation_state: $input is read as $output', (row) => {
  const expected = row.input === 'cancelled' ? 'cancelled' : row.output;
  expect(written({ constellation_id: 'c', tasks: {}, state: row.input }).state).toBe(expected);
});

const dags = validation.cases
  .filter(({ kind }) => kind === 'dag')
  .map((one) => z.object({ id: z.string(), dag: jsonObjectSchema, rules: z.array(z.string()) }).parse(one));

test.each(dags)('$id has the defects $rules and no others', ({ id, dag, rules }) => {
  expect(rulesOf(dag)).toEqual(id === 'list_tasks_from_dict' ? [] : [...rules].sort());
});

const taskRules = validation.cases
  .filter(({ kind }) => kind === 'task')
  .map((one) =>
    z
      .object({ id: z.string(), task: jsonObjectSchema, expected: z.object({ errors: z.array(z.string()) }) })
      .parse(one),
  );

test.each(taskRules)('task rules: $id', ({ task, expected }) => {
  const read = importOf({ tasks: [task] });
  const wrong = read.ok ? read.value.warnings.map(({ path }) => path) : read.error.map(({ path }) => path);
  const said = expected.errors.map((error) => {
    if (error.startsWith('Timeout')) return 'tasks[0].timeout';
    return error.startsWith('Retry') ? 'tasks[0].retry_count' : 'tasks[0].description';
  });
  expect(wrong).toEqual(said);
});

const schemaSchema = z.object({
  id: z.string(),
  input: jsonObjectSchema,
  expected: z.object({ accepted: z.boolean(), model_dump: jsonObjectSchema.optional(), where: z.unknown().optional() }),
  recommended: z.object({ accepted: z.boolean().optional(), rule: z.string().optional() }).optional(),
});
const schemaForms = agentSchema.cases.filter((one) => !('kind' in one)).map((one) => schemaSchema.parse(one));

/** Stricter or milder on purpose: a plan of its own kind is asked for, references are checked, names may be missing. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  empty: ['shape'],
  missing_name: [],
  missing_description: [],
  dangling_accepted: ['missing_target'],
  cycle_accepted: ['cycle'],
  dup_task_dict: ['duplicate_task', 'id_mismatch'],
  dup_line_dict: ['duplicate_line', 'id_mismatch'],
};

test.each(schemaForms)('the form of an agent, $id, is taken or refused', ({ id, input, expected, recommended }) => {
  const accepted = recommended?.accepted ?? expected.accepted;
  const rules = recommended?.rule === undefined ? ['shape'] : [recommended.rule];
  expect(rulesOf(input)).toEqual(OTHERWISE[id] ?? (accepted ? [] : rules));
});

const shapeSchema = z.object({
  id: z.string(),
  dag: jsonObjectSchema,
  expected: z.object({ kahn_order: z.array(z.string()), ready_loaded: z.array(z.string()) }),
  recommended: z.object({ ready: z.array(z.string()).optional(), blocked: z.array(z.string()).optional() }).optional(),
});

test.each(shapes.cases.map((one) => shapeSchema.parse(one)))('shape $id: order, ready and blocked tasks', (one) => {
  const read = importOf(one.dag);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const constellation = fromDocument(read.value.document);
  expect(topologicalOrder(constellation)).toEqual(one.expected.kahn_order);
  const progress: Progress = {
    constellation,
    factsOf: (taskId) => {
      if (!constellation.tasks.has(taskId)) return undefined;
      return read.value.outcomes.get(taskId) ?? { status: 'pending', result: null, error: null };
    },
  };
  const ran = runningIn(one.dag);
  expect(readyTasks(progress).filter((id) => !ran.has(id))).toEqual(
    one.recommended?.ready ?? one.expected.ready_loaded,
  );
  expect(blockedTasks(progress)).toEqual(one.recommended?.blocked ?? []);
});

/** What ran when the file was saved is pending here. */
function runningIn(dag: JsonObject): ReadonlySet<string> {
  const tasks = Object.entries(jsonObjectSchema.parse(dag.tasks));
  return new Set(tasks.filter(([, task]) => jsonObjectSchema.parse(task).status === 'running').map(([id]) => id));
}

test.each(shapes.cases.map((one) => shapeSchema.parse(one)))('shape $id comes back as it was written', ({ dag }) => {
  const { dependencies: lines, tasks, ...rest } = written(dag);
  const { dependencies: givenLines, tasks: givenTasks, ...given } = dag;
  expect(rest).toEqual(given);
  const plain = (all: JsonValue | undefined, derived: readonly string[]) =>
    Object.entries(jsonObjectSchema.parse(all))
      .filter(([id]) => !runningIn(dag).has(id))
      .map(([, one]) =>
        Object.fromEntries(Object.entries(jsonObjectSchema.parse(one)).filter(([key]) => !derived.includes(key))),
      );
  expect(plain(tasks, ['dependencies', 'dependents'])).toEqual(plain(givenTasks, ['dependencies', 'dependents']));
  expect(plain(lines, DERIVED.TaskStarLine)).toEqual(plain(givenLines, DERIVED.TaskStarLine));
});
