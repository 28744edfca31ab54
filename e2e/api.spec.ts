import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { chainOf, constellationOf, exampleWith, LOG_SWEEP_REQUESTS } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { type Stack, startStack } from './stack';

const run = promisify(execFile);

let stack: Stack;
let fleet: TestFleet;

test.beforeAll(async () => {
  stack = await startStack();
  fleet = await startFleet(stack, ['linux-web-a', 'linux-web-b', 'linux-queue-c', 'win-desk']);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

/** As a script on a server would do it. */
async function curl(...args: string[]): Promise<unknown> {
  const { stdout } = await run('curl', ['-sS', '-H', `Authorization: Bearer ${stack.token}`, ...args]);
  return JSON.parse(stdout);
}

test('the log sweep runs through curl alone: devices, run with launch, poll to completed', async () => {
  const devices = await curl(`${stack.origin}/v1/devices`);
  expect(JSON.stringify(devices)).toContain('"linux-web-a"');
  expect(JSON.stringify(devices)).not.toContain('token=');

  const body = JSON.stringify(exampleWith('log_sweep_three_hosts.json', LOG_SWEEP_REQUESTS));
  const created = (await curl(
    '-X',
    'POST',
    '-H',
    'Content-Type: application/json',
    '-d',
    body,
    `${stack.origin}/v1/runs?launch=true`,
  )) as { id: string; warnings: unknown[] };
  expect(created.id).toBeTruthy();
  expect(created.warnings).toEqual(expect.any(Array));

  const ended = await stack.api.untilRunEnded(created.id);
  expect(ended.state).toBe('completed');
  expect(Object.values(ended.tasks).map((task) => [task.task_id, task.status])).toEqual([
    ['sweep-1', 'completed'],
    ['sweep-2', 'completed'],
    ['sweep-3', 'completed'],
    ['workbook', 'completed'],
    ['mail', 'completed'],
  ]);
  expect(JSON.stringify(ended.tasks['sweep-1']?.result)).toContain('08:01 ERROR disk full');
  expect(ended.tasks.mail?.attempts).toHaveLength(1);
  expect(ended.execution_end_time).not.toBeNull();
});

test('health and readiness are open, everything else wants the token', async () => {
  const status = async (path: string) => (await fetch(stack.origin + path)).status;

  expect(await status('/healthz')).toBe(200);
  expect(await status('/readyz')).toBe(200);
  expect(await status('/v1/devices')).toBe(401);
  expect(await status('/v1/runs')).toBe(401);
});

test('every error is a problem document, also for a path that does not exist', async () => {
  const response = await fetch(`${stack.origin}/v1/no-such-thing`, {
    headers: { authorization: `Bearer ${stack.token}` },
  });

  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
});

test('the API describes itself', async () => {
  const { status, body } = await stack.api.request('GET', '/v1/openapi.json');

  expect(status).toBe(200);
  const paths = Object.keys((body as { paths: object }).paths);
  expect(paths).toEqual(
    expect.arrayContaining(['/v1/devices', '/v1/devices/{id}', '/v1/runs', '/v1/runs/{id}/launch']),
  );
});

test('a run can be created as a draft, launched and cancelled', async () => {
  const id = await stack.api.createRun(chainOf('slow', { length: 3, device: 'linux-web-a', seconds: 20 }));
  expect((await stack.api.run(id)).launched_at).toBeNull();

  await stack.api.request('POST', `/v1/runs/${id}/launch`);
  await stack.api.untilTask(id, 'step-1', 'running');
  await stack.api.request('POST', `/v1/runs/${id}/cancel`);

  const ended = await stack.api.untilRunEnded(id);
  expect(ended.state).toBe('cancelled');
  expect(Object.values(ended.tasks).map((task) => task.status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  await stack.api.untilDevice('linux-web-a', 'idle');
});

test('one ready task can be dispatched by hand on a draft, and only that task runs', async () => {
  const id = await stack.api.createRun(
    constellationOf('by hand', [
      { id: 'first', device: 'linux-web-b', request: '$ echo hello' },
      { id: 'second', device: 'linux-web-b', request: '$ echo again', after: ['first'] },
    ]),
  );

  const answer = await stack.api.request('POST', `/v1/runs/${id}/tasks/first/dispatch`);
  expect(answer.status).toBeLessThan(300);
  await stack.api.untilTask(id, 'first', 'completed');

  expect((await stack.api.run(id)).tasks.second?.attempts).toEqual([]);
  expect((await stack.api.request('POST', `/v1/runs/${id}/tasks/first/dispatch`)).status).toBe(409);
});

test('a device can be added, edited and removed, and its token is never shown', async () => {
  await stack.api.addDevice({ id: 'spare', serverUrl: 'ws://127.0.0.1:9/ws?token=canary-4711' });
  await stack.api.request('PATCH', '/v1/devices/spare', { os: 'windows', capabilities: ['office'] });

  const device = await stack.api.device('spare');
  expect(device).toMatchObject({ device_id: 'spare', os: 'windows', capabilities: ['office'] });
  expect(JSON.stringify(device)).not.toContain('canary-4711');

  expect((await stack.api.request('DELETE', '/v1/devices/spare')).status).toBeLessThan(300);
  expect((await stack.api.request('GET', '/v1/devices/spare')).status).toBe(404);
});
