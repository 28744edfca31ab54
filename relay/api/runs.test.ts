import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { devicesImportedSchema, runCreatedSchema } from '@/lib/relay-protocol/http';
import { runDocumentSchema } from '@/lib/run/run-document';
import { runCheckedSchema } from './run-import-route';
import { runRowSchema } from './run-resource';
import { runListSchema } from './run-routes';
import { anApp, problemOf } from './testing/an-app';

const example = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');
const logSweep = example('log_sweep_three_hosts.json');

const oneStar = (deviceId: string | null) => ({
  constellation_id: 'c1',
  name: 'One',
  tasks: { a: { task_id: 'a', name: 'A', description: '$ echo hi', target_device_id: deviceId } },
  dependencies: {},
});

async function withDevice() {
  const app = anApp();
  const device = { device_id: 'linux-1', server_url: 'ws://127.0.0.1:5000/ws' };
  expect((await app.call('POST /v1/devices', device)).status).toBe(201);
  return app;
}

test('a constellation becomes a draft with its warnings, and is read back as it was written', async () => {
  const { call } = anApp();
  const response = await call('POST /v1/runs', logSweep);
  expect(response.status).toBe(201);
  const { id, warnings } = runCreatedSchema.parse(await response.json());
  expect(response.headers.get('location')).toBe(`/v1/runs/${id}`);
  expect(warnings.map((warning) => warning.path).join()).toContain('target_device_id');
  const document = runDocumentSchema.parse(await (await call(`GET /v1/runs/${id}`)).json());
  expect(Object.keys(document.tasks)).toEqual(Object.keys(JSON.parse(logSweep).tasks));
  const { runs } = runListSchema.parse(await (await call('GET /v1/runs')).json());
  expect(runs.map((row) => [row.run_id, row.state])).toEqual([[id, 'ready']]);
});

test.each([
  ['backup_restore_drill.json'],
  ['evaluation_sweep.json'],
  ['inventory_finished.json'],
  ['quarterly_pack.json'],
  ['release_smoke_matrix.json'],
  ['schema_dump_certificates.json'],
  ['trip_running_snapshot.json'],
  ['unicode_daily_report.json'],
])('the example %s is taken', async (name) => {
  expect((await anApp().call('POST /v1/runs', example(name))).status).toBe(201);
});

test('with launch=true a run is under way at once', async () => {
  const { call } = await withDevice();
  const { id } = runCreatedSchema.parse(await (await call('POST /v1/runs?launch=true', oneStar('linux-1'))).json());
  const document = runDocumentSchema.parse(await (await call(`GET /v1/runs/${id}`)).json());
  expect([document.state, document.tasks.a?.display_state]).toEqual(['executing', 'dispatching']);
});

test.each([
  ['unknown', 'nowhere', 'device-unknown'],
  ['missing', null, 'device-missing'],
])('with launch=true an %s device is an error that names its place, and nothing is stored', async (_, device, code) => {
  const { call } = await withDevice();
  const problem = await problemOf(await call('POST /v1/runs?launch=true', oneStar(device)));
  expect([problem.status, problem.code]).toEqual([422, code]);
  expect(problem.errors?.map((error) => error.path)).toEqual(['tasks.a.target_device_id']);
  expect((await (await call('GET /v1/runs')).json()).runs).toEqual([]);
});

test('dry_run=true says what would be, and stores nothing', async () => {
  const { call } = await withDevice();
  const checked = await call('POST /v1/runs?dry_run=true', oneStar('nowhere'));
  expect(runCheckedSchema.parse(await checked.json()).warnings).toHaveLength(1);
  expect((await call('POST /v1/runs?dry_run=true&launch=true', oneStar('nowhere'))).status).toBe(422);
  expect((await (await call('GET /v1/runs')).json()).runs).toEqual([]);
});

const lines = (...pairs: string[][]) =>
  Object.fromEntries(
    pairs.map(([id = '', from, to]) => [
      id,
      { line_id: id, from_task_id: from, to_task_id: to, dependency_type: 'success_only' },
    ]),
  );
const twoStars = (dependencies: object) => ({
  constellation_id: 'c1',
  name: 'Two',
  tasks: {
    a: { task_id: 'a', name: 'A', description: 'x' },
    b: { task_id: 'b', name: 'B', description: 'y' },
  },
  dependencies,
});

test.each([
  ['a cycle', twoStars(lines(['l1', 'a', 'b'], ['l2', 'b', 'a'])), 'cycle', 'a'],
  ['a dangling line', twoStars(lines(['l1', 'a', 'gone'])), 'missing_target', 'l1'],
  ['a list', [1, 2, 3], 'shape', 'file'],
  ['another shape', { nodes: [], connections: {} }, 'shape', ''],
])('%s is refused with its rule and place, and nothing is stored', async (_, ...[body, rule, place]) => {
  const { call } = anApp();
  const problem = await problemOf(await call('POST /v1/runs', body));
  expect(problem.status).toBe(422);
  expect(problem.errors?.map((error) => error.rule)).toContain(rule);
  expect(JSON.stringify(problem.errors)).toContain(place);
  expect((await (await call('GET /v1/runs')).json()).runs).toEqual([]);
});

test('a duplicate id is refused by name, although JSON would let the last one win', async () => {
  const text =
    '{"constellation_id":"c","name":"n","tasks":{"a":{"task_id":"a","name":"A","description":"x"},"a":{"task_id":"a","name":"A2","description":"y"}},"dependencies":{}}';
  const problem = await problemOf(await anApp().call('POST /v1/runs', text));
  expect(problem.errors).toEqual([expect.objectContaining({ rule: 'duplicate_task', path: 'tasks.a' })]);
});

test('a file that is not JSON is a bad request with line and column', async () => {
  const problem = await problemOf(await anApp().call('POST /v1/runs', '{\n  "name": "x",\n  oops\n}'));
  expect([problem.status, problem.code]).toEqual([400, 'not-json']);
  expect(problem.detail).toContain('line 3, column 3');
});

test('a body over the limit is refused before it is read', async () => {
  const problem = await problemOf(await anApp().call('POST /v1/runs', `"${'x'.repeat(1_000_000)}"`));
  expect(problem.status).toBe(413);
});

test('the same Idempotency-Key makes one run; with another body it is a conflict', async () => {
  const { call } = anApp();
  const key = { 'idempotency-key': 'run-key-1' };
  const first = await (await call('POST /v1/runs', oneStar(null), key)).json();
  const second = await (await call('POST /v1/runs', oneStar(null), key)).json();
  expect(second).toEqual(first);
  expect((await call('POST /v1/runs', oneStar('x'), key)).status).toBe(409);
  expect((await (await call('GET /v1/runs')).json()).runs).toHaveLength(1);
});

test('requests with one Idempotency-Key that come at once all name the one run that was made', async () => {
  const { call } = anApp();
  const key = { 'idempotency-key': 'run-key-2' };

  const ids = await Promise.all(
    [1, 2, 3, 4].map(async () => (await (await call('POST /v1/runs', oneStar(null), key)).json()).id),
  );

  const { runs } = runListSchema.parse(await (await call('GET /v1/runs')).json());
  expect(ids).toEqual(Array(4).fill(runs[0]?.run_id));
  expect(runs).toHaveLength(1);
});

test.each(['launch', 'dry_run'])(
  'a word that %s does not know is refused, so that nothing else happens',
  async (flag) => {
    const { call } = await withDevice();
    for (const word of ['1', 'TRUE', 'yes', '']) {
      const problem = await problemOf(await call(`POST /v1/runs?${flag}=${word}`, oneStar('linux-1')));
      expect([problem.status, problem.code]).toEqual([422, 'invalid']);
    }
    expect((await call(`POST /v1/runs?${flag}=false`, oneStar('linux-1'))).status).toBe(201);
    expect((await (await call('GET /v1/runs')).json()).runs).toHaveLength(1);
  },
);

test('a draft is placed, launched, cancelled and retried step by step', async () => {
  const { call } = await withDevice();
  const { id } = await (await call('POST /v1/runs', oneStar(null))).json();
  const step = async (what: string, body?: unknown) => {
    const response = await call(`POST /v1/runs/${id}/${what}`, body);
    return response.ok ? runRowSchema.parse(await response.json()).state : (await problemOf(response)).code;
  };
  expect(await step('launch')).toBe('device-missing');
  expect(await step('tasks/a/place', { device_id: 'linux-1', base_revision: 7 })).toBe('stale-revision');
  expect(await step('tasks/a/place', { device_id: 'linux-1' })).toBe('ready');
  expect(await step('launch')).toBe('executing');
  expect(await step('launch')).toBe('already-launched');
  expect(await step('tasks/a/dispatch', {})).toBe('already-dispatched');
  expect(await step('tasks/a/cancel', { reason: 'wrong host' })).toBe('cancelled');
  expect(await step('tasks/a/retry')).toBe('executing');
  expect(await step('cancel')).toBe('cancelled');
  expect(await step('tasks/nope/retry')).toBe('task-unknown');
});

test('[S25] an unknown run is the same 404 for every operation', async () => {
  const { call } = anApp();
  const id = '0'.repeat(32);
  for (const what of [`GET /v1/runs/${id}`, `POST /v1/runs/${id}/launch`, 'GET /v1/runs/nonsense']) {
    expect((await problemOf(await call(what))).code).toBe('run-unknown');
  }
});

test('runs are listed newest first, by pages and by state', async () => {
  const { call } = anApp();
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1)
    ids.unshift((await (await call('POST /v1/runs', oneStar(null))).json()).id);
  const listed = async (query: string) => {
    const { runs } = runListSchema.parse(await (await call(`GET /v1/runs?${query}`)).json());
    return runs.map((row) => row.run_id);
  };
  expect(await listed('')).toEqual(ids);
  expect(await listed('limit=2')).toEqual(ids.slice(0, 2));
  expect(await listed(`before=${ids[1]}`)).toEqual(ids.slice(2));
  expect(await listed('state=completed')).toEqual([]);
  expect((await call('GET /v1/runs?limit=0')).status).toBe(422);
});

const devicesYaml = `# Device Configuration
devices:
  - device_id: "windowsagent"
    server_url: "ws://localhost:5005/ws"
    os: "windows"
    capabilities: ["office_applications"]
    metadata: {location: "office", tags: ["a"]}
    max_retries: 5
  - device_id: "linux 1"
    server_url: "ws://localhost:5001/ws"
  - device_id: linux-1
    server_url: ws://localhost:5001/ws
`;
const yaml = { 'content-type': 'application/yaml' };

test('a stock devices.yaml is imported; known and wrong entries are skipped with a reason', async () => {
  const { call } = await withDevice();
  const response = await call('POST /v1/devices/import', devicesYaml, yaml);
  const imported = devicesImportedSchema.parse(await response.json());
  expect(imported.added).toEqual(['windowsagent']);
  expect(imported.skipped.map((entry) => entry.device_id)).toEqual(['linux 1', 'linux-1']);
});

test.each([
  ['broken YAML', 'devices: [', 400],
  ['another file', 'services: {}', 422],
  [
    'a billion laughs',
    `a: &a [x,x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`)}]`)
      .join('\n')}\ndevices: *h`,
    400,
  ],
  ['__proto__', 'devices:\n  - {__proto__: {polluted: 1}, device_id: a, server_url: ws://x}', 400],
])('%s is no devices file', async (_, text, status) => {
  expect((await problemOf(await anApp().call('POST /v1/devices/import', text, yaml))).status).toBe(status);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('[S49] a large result is a download that nothing executes', async () => {
  const { call, runtime } = anApp();
  const { handle } = runtime.engine.blobs.put(Buffer.from('<script>alert(1)</script>'), 'text/html');
  const response = await call(`GET /v1/blobs/${handle}`);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; /);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await problemOf(await call('GET /v1/blobs/nothing'))).code).toBe('blob-unknown');
});
