import { expect, test } from 'vitest';
import { runCreatedSchema, taskOutputSchema } from '@/lib/relay-protocol/http';
import { anApp, problemOf } from './testing/an-app';

const PLAN = {
  constellation_id: 'c1',
  name: 'One',
  tasks: { a: { task_id: 'a', name: 'A', description: '$ echo hi', target_device_id: null } },
  dependencies: {},
};
const OUTPUT = { attempt: 2, isLive: true, firstLine: 3, startLine: 3, nextLine: 5, lines: ['three', 'four'] };

async function aRun() {
  const app = anApp();
  const { id } = runCreatedSchema.parse(await (await app.call('POST /v1/runs', PLAN)).json());
  const path = `/v1/runs/${id}/tasks/a/output`;
  return {
    ...app,
    id,
    path,
    read: async (query = '') => taskOutputSchema.parse(await (await app.call(`GET ${path}${query}`)).json()),
  };
}

test('a task that has printed nothing yet has no lines, and no attempt', async () => {
  const { read } = await aRun();
  expect(await read()).toEqual({ attempt: null, is_live: null, first_line: 0, start_line: 0, next_line: 0, lines: [] });
});

test('the lines come with their numbers, so that a reader can go on and sees what is left out', async () => {
  const { runtime, read } = await aRun();
  runtime.output = OUTPUT;
  expect(await read()).toEqual({
    attempt: 2,
    is_live: true,
    first_line: 3,
    start_line: 3,
    next_line: 5,
    lines: ['three', 'four'],
  });
});

test.each([
  ['?after=4', 4],
  ['?after=4&attempt=2', 4],
  ['?after=4&attempt=1', 0],
])('read with %s the lines are those from line %i on', async (query, from) => {
  const { runtime, read } = await aRun();
  const asked: number[] = [];
  runtime.taskOutput = (_run, _task, after) => {
    asked.push(after);
    return OUTPUT;
  };
  await read(query);
  expect(asked.at(-1)).toBe(from);
});

test.each(['?after=-1', '?after=x', '?attempt=1.5'])('%s is refused', async (query) => {
  const { call, path } = await aRun();
  expect(await problemOf(await call(`GET ${path}${query}`))).toMatchObject({ status: 422, code: 'invalid' });
});

test('a task that is not there is said to be not there', async () => {
  const { call, id } = await aRun();
  expect(await problemOf(await call(`GET /v1/runs/${id}/tasks/b/output`))).toMatchObject({ code: 'task-unknown' });
  expect(await problemOf(await call('GET /v1/runs/x/tasks/a/output'))).toMatchObject({ code: 'run-unknown' });
});

test('nobody reads output without being signed in', async () => {
  const { app, path } = await aRun();
  expect((await app.request(path)).status).toBe(401);
});
