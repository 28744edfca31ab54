import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import { readConstellation, readConstellationText } from './codec';
import type { ImportProblem } from './import-report';
import { anImportContext } from './testing/import-context';
import { writeConstellation } from './write-constellation';

function read(value: JsonValue) {
  const result = readConstellation(value, anImportContext());
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function problems(value: JsonValue): ImportProblem[] {
  const result = readConstellation(value, anImportContext());
  return result.ok ? [] : [...result.error];
}

function problemsOfText(text: string): ImportProblem[] {
  const result = readConstellationText(text, anImportContext());
  return result.ok ? [] : [...result.error];
}

const task = (id: string, more: JsonObject = {}): JsonObject => ({
  task_id: id,
  name: id,
  description: `Do ${id}`,
  ...more,
});
const line = (id: string, [from, to]: readonly [string, string], more: JsonObject = {}): JsonObject => ({
  line_id: id,
  from_task_id: from,
  to_task_id: to,
  ...more,
});

test('tasks and lines may stand in objects or in lists', () => {
  const asObjects = read({
    constellation_id: 'c',
    tasks: { a: task('a'), b: task('b') },
    dependencies: { l: line('l', ['a', 'b']) },
  });
  const asLists = read({
    constellation_id: 'c',
    tasks: [task('a'), task('b')],
    dependencies: [line('l', ['a', 'b'])],
  });
  expect(asLists).toEqual(asObjects);
  expect(asLists.document.tasks.map(({ taskId }) => taskId)).toEqual(['a', 'b']);
});

test('ids that are left out are made, each its own, even if chance repeats itself', () => {
  const result = readConstellation(
    { tasks: [{ description: 'x' }, { description: 'y', task_id: '' }], dependencies: [] },
    { nowMs: Date.UTC(2025, 10, 6, 9), newHex: () => '1234567890' },
  );
  const document = result.ok ? result.value.document : undefined;
  expect(document?.constellationId).toBe('constellation_12345678_20251106_090000');
  expect(new Set(document?.tasks.map(({ taskId }) => taskId)).size).toBe(2);
  expect(document?.tasks[0]?.taskId).toBe('task_12345678');
});

test('a running task becomes pending with a warning, a finished one keeps its result', () => {
  const { outcomes, warnings } = read({
    tasks: [
      task('a', { status: 'running', execution_start_time: '2025-11-06T09:00:00Z', current_retry: 1 }),
      task('b', { status: 'COMPLETED', result: { rows: 2 }, execution_end_time: '2025-11-06T09:00:00Z' }),
      task('c', { status: 'waiting_dependency' }),
      task('d', { status: 'failed', error: 'disk full' }),
    ],
  });
  expect(warnings).toEqual([
    { path: 'tasks[0].status', message: expect.stringContaining('was running when the file was saved') },
  ]);
  expect(Object.fromEntries(outcomes)).toEqual({
    a: { status: 'pending', result: null, error: null, startedAt: null, endedAt: null, currentRetry: 1 },
    b: {
      status: 'completed',
      result: { rows: 2 },
      error: null,
      startedAt: null,
      endedAt: '2025-11-06T09:00:00+00:00',
      currentRetry: 0,
    },
    d: { status: 'failed', result: null, error: 'disk full', startedAt: null, endedAt: null, currentRetry: 0 },
  });
});

test('unknown enum words fall back as in the reference, and each is warned of with path and value', () => {
  const { document, warnings } = read({
    state: 'weird',
    tasks: { a: task('a', { priority: 'urgent', status: 'done', device_type: 'mobile' }), b: task('b') },
    dependencies: { l: line('l', ['a', 'b'], { dependency_type: 'sucess_only' }) },
  });
  expect(document.tasks[0]).toMatchObject({ priority: 2, deviceType: null });
  expect(document.lines[0]?.dependencyType).toBe('unconditional');
  const told = warnings.map(({ path, message }) => `${path}: ${message}`).join('\n');
  for (const expected of [
    /^tasks\.a\.priority: .*"urgent"; medium/m,
    /^tasks\.a\.status: .*"done"; pending/m,
    /^tasks\.a\.device_type: .*"mobile"; nothing/m,
    /^dependencies\.l\.dependency_type: .*"sucess_only"; unconditional/m,
    /^state: .*"weird"; created/m,
  ]) {
    expect(told).toMatch(expected);
  }
  expect(warnings).toHaveLength(5);
});

test('what a task holds beyond the form is named once per field', () => {
  const { warnings } = read({ tasks: [task('a', { foo: 1 }), task('b', { foo: 2 })], dependencies: [], bar: 1 });
  expect(warnings).toEqual([
    { path: 'bar', message: 'this field is not known and was ignored' },
    { path: 'tasks[0].foo', message: 'this field is not known and was ignored, here and in 1 more places' },
  ]);
});

test('null tips stay null, missing ones are an empty list', () => {
  const { document } = read({ tasks: [task('a', { tips: null }), task('b'), task('c', { tips: ['x'] })] });
  expect(document.tasks.map(({ tips }) => tips)).toEqual([null, [], ['x']]);
});

test('a condition in an unknown language is warned of, and never holds', () => {
  const { warnings } = read({
    tasks: [task('a'), task('b')],
    dependencies: [
      line('l', ['a', 'b'], {
        dependency_type: 'conditional',
        metadata: { condition: { language: 'klingon', expression: 'x' } },
      }),
    ],
  });
  expect(warnings).toEqual([
    { path: 'dependencies[0].metadata.condition.language', message: expect.stringContaining('"klingon"') },
  ]);
});

test('a state that claims an end before the tasks have one is not believed', () => {
  const { state, warnings } = read({ state: 'completed', tasks: [task('a')] });
  expect(state).toBe('ready');
  expect(warnings[0]?.path).toBe('state');
});

test('being cancelled survives a round trip, tasks that never ran included', () => {
  const { state } = read({ state: 'CANCELLED', tasks: [task('a')] });
  expect(state).toBe('cancelled');
});

test('names and texts in any script come back as they were', () => {
  const text = JSON.stringify({ tasks: { задача: task('задача', { name: '任务 é 🚀' }) } });
  const result = readConstellationText(text, anImportContext());
  const form = result.ok ? writeConstellation(result.value) : null;
  expect(form?.tasks.задача?.name).toBe('任务 é 🚀');
});

test('a line to a task that does not exist is named with place and ids', () => {
  expect(problems({ tasks: { a: task('a') }, dependencies: { 'line-3': line('line-3', ['a', 'ghost']) } })).toEqual([
    {
      rule: 'missing_target',
      path: 'dependencies.line-3.to_task_id',
      message: 'line "line-3" leads to "ghost", but there is no such task',
      ids: ['line-3', 'ghost'],
    },
  ]);
});

test('a cycle is named with one concrete way round, also beside a dangling line', () => {
  const found = problems({
    tasks: { a: task('a'), b: task('b'), c: task('c') },
    dependencies: {
      l1: line('l1', ['a', 'b']),
      l2: line('l2', ['b', 'c']),
      l3: line('l3', ['c', 'a']),
      l4: line('l4', ['x', 'a']),
    },
  });
  expect(found.map(({ rule }) => rule)).toEqual(['missing_source', 'cycle']);
  const cycle = found[1];
  expect(cycle?.ids).toHaveLength(4);
  expect(cycle?.ids[0]).toBe(cycle?.ids[3]);
  expect(cycle?.message).toMatch(/a → b → c → a|b → c → a → b|c → a → b → c/);
  expect(cycle?.path).toMatch(/^dependencies\.l[123]$/);
});

test('an id that is taken twice is an error in lists, in objects and in the text itself', () => {
  expect(problems({ tasks: [task('a'), task('a')] })).toEqual([
    { rule: 'duplicate_task', path: 'tasks[1].task_id', message: expect.stringContaining('tasks[0]'), ids: ['a'] },
  ]);
  const inObject = problems({ tasks: { a: task('a'), k: task('a') } });
  expect(inObject.map(({ rule }) => rule)).toEqual(['id_mismatch', 'duplicate_task']);
  const inText = problemsOfText(
    `{"tasks": {\n "a": ${JSON.stringify(task('a'))},\n "a": ${JSON.stringify(task('a'))}}}`,
  );
  expect(inText).toEqual([
    { rule: 'duplicate_task', path: 'tasks.a', message: expect.stringContaining('line 3'), ids: ['a'] },
  ]);
});

test('an id of a line that is taken twice is an error in lists, in objects and in the text itself', () => {
  const tasks = { a: task('a'), b: task('b') };
  const twin = line('l', ['a', 'b']);
  expect(problems({ tasks, dependencies: [twin, twin] })).toEqual([
    {
      rule: 'duplicate_line',
      path: 'dependencies[1].line_id',
      message: expect.stringContaining('dependencies[0]'),
      ids: ['l'],
    },
  ]);
  const inObject = problems({ tasks, dependencies: { l: twin, m: twin } });
  expect(inObject.map(({ rule }) => rule)).toEqual(['id_mismatch', 'duplicate_line']);
  const inText = problemsOfText(
    `{"tasks": ${JSON.stringify(tasks)}, "dependencies": {"l": ${JSON.stringify(twin)}, "l": ${JSON.stringify(twin)}}}`,
  );
  expect(inText).toMatchObject([{ rule: 'duplicate_line', path: 'dependencies.l', ids: ['l'] }]);
});

test('what a file derives is derived anew and never believed', () => {
  const { tasks, dependencies, ...whole } = writeConstellation(
    read({
      tasks: [
        task('a', {
          task_description: 'Do something else',
          status: 'completed',
          execution_start_time: '2025-11-06T09:00:00Z',
          execution_end_time: '2025-11-06T09:00:02.5Z',
          execution_duration: 99,
          dependents: ['ghost'],
        }),
        task('b', { dependencies: ['ghost'] }),
      ],
      dependencies: [line('l', ['a', 'b'], { is_satisfied: false, last_evaluation_result: false })],
      execution_start_time: '2025-11-06T09:00:00Z',
      execution_end_time: '2025-11-06T09:01:00Z',
      execution_duration: 1,
    }),
  );
  expect(tasks.a).toMatchObject({ task_description: 'Do a', execution_duration: 2.5, dependents: ['b'] });
  expect(tasks.b?.dependencies).toEqual([]);
  expect(dependencies.l).toMatchObject({ is_satisfied: true, last_evaluation_result: true });
  expect(whole.execution_duration).toBe(60);
});

test('a time that the file leaves out is that of the import, in UTC', () => {
  const form = writeConstellation(read({ tasks: [task('a')] }));
  expect([form.created_at, form.updated_at, form.tasks.a?.created_at]).toEqual(
    Array.from({ length: 3 }, () => '2025-11-06T09:00:00+00:00'),
  );
});

test('a key that differs from the id inside is an error', () => {
  expect(problems({ tasks: { a: task('other') } })).toMatchObject([
    { rule: 'id_mismatch', path: 'tasks.a.task_id', ids: ['a', 'other'] },
  ]);
});

test.each<[string, JsonValue, RegExp]>([
  ['a list', [1], /expected a constellation.*got a list of 1/],
  ['an empty object', {}, /got an empty object/],
  ['null', null, /got null/],
  ['an n8n workflow', { name: 'w', nodes: [], connections: {} }, /n8n workflow/],
  ['an agent reply', { thought: 't', status: 'CONTINUE', constellation: {} }, /under its "constellation"/],
  ['a package.json', { name: 'x', version: '1' }, /got an object with name, version/],
])('%s is told apart from a constellation', (_what, value, message) => {
  const found = problems(value);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ rule: 'shape', path: '' });
  expect(found[0]?.message).toMatch(message);
});

test.each<[string, JsonValue, string]>([
  ['tasks of another kind', { tasks: 5 }, 'tasks'],
  ['a task that is no object', { tasks: ['a'] }, 'tasks[0]'],
  ['tips that are one text', { tasks: [task('a', { tips: 'one' })] }, 'tasks[0].tips'],
  ['a tip that is no text', { tasks: [task('a', { tips: ['x', 5] })] }, 'tasks[0].tips[1]'],
  ['an error that is an object', { tasks: [task('a', { error: { m: 1 } })] }, 'tasks[0].error'],
  ['a time that is none', { tasks: [task('a', { created_at: 'yesterday' })] }, 'tasks[0].created_at'],
  [
    'a line without a source',
    { tasks: [task('a')], dependencies: [{ to_task_id: 'a' }] },
    'dependencies[0].from_task_id',
  ],
  ['an id with control characters', { tasks: [task('a\u0007b')] }, 'tasks[0].task_id'],
  ['metadata in a list', { tasks: [], metadata: [] }, 'metadata'],
])('%s is refused with its place', (_what, value, path) => {
  expect(problems(value)).toMatchObject([{ rule: 'shape', path }]);
});

test.each([
  ['a negative limit', { timeout: -1 }, 'tasks[0].timeout'],
  ['a limit of nothing', { timeout: 0 }, 'tasks[0].timeout'],
  ['a fraction of a retry', { retry_count: 1.5 }, 'tasks[0].retry_count'],
  ['fewer retries than none', { retry_count: -2 }, 'tasks[0].retry_count'],
])('%s is refused with its place', (_what, more, path) => {
  expect(problems({ tasks: [task('a', more)] })).toMatchObject([{ rule: 'task_field', path }]);
});

test('all problems of a file are told at once', () => {
  const found = problems({ tasks: [task('a', { tips: 'x', error: 5 }), 'b'], dependencies: [{}], created_at: 'x' });
  expect(found.map(({ path }) => path)).toEqual([
    'tasks[0].tips',
    'tasks[0].error',
    'tasks[1]',
    'dependencies[0].from_task_id',
    'dependencies[0].to_task_id',
    'created_at',
  ]);
});

test('a text that is not JSON is named with line and column', () => {
  const [problem] = problemsOfText('{\n  "tasks": {},\n}');
  expect(problem).toMatchObject({ rule: 'not_json', path: '' });
  expect(problem?.message).toBe('line 3, column 1: expected a key in double quotes, got "}"');
});

test('a prototype key and hostile nesting are refused', () => {
  expect(problemsOfText('{"tasks": {}, "metadata": {"__proto__": {}}}')).toMatchObject([{ rule: 'not_json' }]);
  expect(problemsOfText(`{"tasks": {}, "metadata": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatchObject([
    { rule: 'not_json', message: expect.stringContaining('200 levels') },
  ]);
});

test('ten thousand tasks in a chain are read without strain', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
  const { document } = read({
    tasks: ids.map((id) => task(id)),
    dependencies: ids.slice(1).map((id, index) => line(`l${index}`, [`t${index}`, id])),
  });
  expect(document.lines).toHaveLength(9_999);
});
