import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ADeviceServer, aDeviceServer, type Frame, KEY, type Peer } from './testing/a-device-server';

let server: ADeviceServer;
beforeEach(async () => {
  server = await aDeviceServer();
});
afterEach(() => server.close());

type HttpCase = {
  readonly name: string;
  readonly input: { readonly route?: string; readonly args?: readonly unknown[]; readonly 'X-API-Key'?: string };
  readonly output: { readonly status: number; readonly body: unknown; readonly frames_to_client?: readonly object[] };
};

const vectors: { cases: readonly HttpCase[] } = JSON.parse(
  await readFile(new URL('./testing/vectors/http_api.json', import.meta.url), 'utf8'),
);

test.each(vectors.cases.map((each) => [each.name, each] as const))('[AIP-110] %s', async (_name, vector) => {
  const device = await server.register('dev-1', 'device');
  const constellation = await server.register('con-1', 'constellation');
  const response = await answerTo(vector.input);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: vector.output.status,
    body: placeholders(vector.output.body),
  });
  const expected = vector.output.frames_to_client ?? [];
  if (expected.length > 0) await device.next('task');
  expect(device.frames.map(withoutNulls)).toEqual(expected.map(placeholders));
  expect(constellation.frames).toEqual([]);
});

async function answerTo({ route, args = [], ...input }: HttpCase['input']): Promise<Response> {
  if (route === undefined) return server.call('/api/clients', { headers: { 'x-api-key': input['X-API-Key'] ?? '' } });
  const [method = '', path = ''] = route.split(' ');
  if (method === 'POST') return server.dispatch(args[0]);
  return server.call(path.replace('{task_name}', String(args[0])));
}

/** `<uuid:1>` and the like stand for values that are made at each call. */
function placeholders(value: unknown): unknown {
  if (typeof value === 'string' && /^<.+>$/.test(value)) return expect.any(String);
  if (Array.isArray(value)) return value.map(placeholders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, placeholders(member)]));
}

function withoutNulls(frame: Frame): object {
  return Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== null));
}

describe('the key', () => {
  const ROUTES = ['GET /api/clients', 'GET /api/health', 'GET /api/task_result/x', 'POST /api/dispatch', 'GET /api/x'];

  function ask(route: string, headers: Record<string, string>): Promise<Response> {
    const [method = '', path = ''] = route.split(' ');
    return fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers });
  }

  test.each(ROUTES)('[AIP-22] is asked for at %s: 422 without, 401 when it is wrong', async (route) => {
    for (const headers of [{}, { authorization: `Bearer ${KEY}` }, { cookie: `x-api-key=${KEY}` }]) {
      const missing = await ask(route, headers);
      expect([missing.status, Object.keys(await missing.json())]).toEqual([422, ['detail']]);
    }
    for (const key of ['nope', `${KEY}x`, KEY.slice(0, -1), KEY.toUpperCase(), `${KEY}, ${KEY}`, '\u00ff'.repeat(9)]) {
      const wrong = await ask(route, { 'x-api-key': key });
      expect([key, wrong.status, await wrong.json()]).toEqual([key, 401, { detail: 'Invalid API key' }]);
    }
  });

  test('[AIP-22] in the query, or a hundred kilobytes of it, opens nothing', async () => {
    expect((await ask(`GET /api/clients?token=${KEY}&X-API-Key=${KEY}`, {})).status).toBe(422);
    expect((await ask('GET /api/clients', { 'x-api-key': KEY.repeat(10_000) })).status).toBe(401);
  });
});

describe('a dispatch', () => {
  const SENDERS_MISTAKE = [400, 422];

  test.each([
    ['a number', 5],
    ['a fraction', 0.5],
    ['true', true],
    ['an object', { text: 'x' }],
    ['a list', ['x']],
  ])('[AIP-113] whose request or client is %s is the sender’s mistake, and nothing is sent', async (_name, value) => {
    const device = await server.register('dev-1', 'device');
    for (const body of [
      { client_id: 'dev-1', request: value },
      { client_id: value, request: 'x' },
    ]) {
      const response = await server.dispatch(body);
      expect(SENDERS_MISTAKE).toContain(response.status);
      expect(await response.json()).toHaveProperty('detail');
    }
    expect(device.frames).toEqual([]);
  });

  test.each([[0], [false], [null], [''], [[]], [{}]])(
    '[AIP-110] counts %j as nothing, for the request first and for the client then',
    async (nothing) => {
      for (const [body, detail] of [
        [{ request: nothing, client_id: nothing, task_name: '../x' }, 'Empty task content'],
        [{ request: 'x', client_id: nothing, task_name: '../x' }, 'Empty client ID'],
      ] as const) {
        const response = await server.dispatch(body);
        expect([response.status, await response.json()]).toEqual([400, { detail }]);
      }
    },
  );

  test('[AIP-113] with nothing but spaces as request is refused like an empty one', async () => {
    await server.register('dev-1', 'device');
    const response = await server.dispatch({ client_id: 'dev-1', request: ' \t\n' });
    expect([response.status, await response.json()]).toEqual([400, { detail: 'Empty task content' }]);
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>, number]>([
    ['is empty', '', 422],
    ['is no JSON', 'x', 422],
    ['is a list', '[]', 422],
    ['is null', 'null', 422],
    ['is text', '"x"', 422],
    ['is a number', '5', 422],
    ['goes on behind its end', '{"client_id": "dev-1", "request": "x"}}', 422],
    ['is no UTF-8', new Uint8Array([...Buffer.from('{"client_id": "dev-1", "request": "\xff"}', 'latin1')]), 422],
    ['holds half of a character', '{"client_id": "dev-1", "request": "\\ud800"}', 422],
    ['holds NaN', '{"client_id": "dev-1", "request": NaN}', 422],
    ['is nested without end', `{"request": ${'['.repeat(100_000)}`, 422],
    ['is larger than a megabyte', `{"request": "${'x'.repeat(1_100_000)}"}`, 413],
  ])('[AIP-113] whose body %s is the sender’s mistake, and nothing is sent', async (_name, body, status) => {
    const device = await server.register('dev-1', 'device');
    const response = await server.call('/api/dispatch', { method: 'POST', body });
    expect([response.status, Object.keys(await response.json())]).toEqual([status, ['detail']]);
    expect(device.frames).toEqual([]);
  });

  test('[AIP-112] ignores members that it does not know, and takes the last of two with one name', async () => {
    const device = await server.register('dev-1', 'device');
    const body = '{"client_id": "ghost", "client_id": "dev-1", "request": "é😀", "__proto__": {"a": 1}, "priority": 9}';
    expect((await server.call('/api/dispatch', { method: 'POST', body })).status).toBe(200);
    expect(await device.next('task')).toMatchObject({ status: 'continue', user_request: 'é😀' });
  });

  test('[AIP-112] goes to devices only, and only while they are there', async () => {
    const constellation = await server.register('con-1', 'constellation');
    expect((await server.dispatch({ client_id: 'con-1', request: 'x' })).status).toBe(400);
    expect(constellation.frames).toEqual([]);
    const device = await server.register('dev-1', 'device');
    device.socket.terminate();
    await expect.poll(async () => (await server.dispatch({ client_id: 'dev-1', request: 'x' })).status).toBe(404);
  });

  test.each(['a', 'A-1.b_c', '-', '_', 'a..b', '0', 'x'.repeat(300), '__proto__', 'constructor'])(
    '[AIP-112] may name its task "%s"',
    async (name) => {
      const device = await server.register('dev-1', 'device');
      const response = await server.dispatch({ client_id: 'dev-1', request: 'x', task_name: name });
      expect(await response.json()).toMatchObject({ status: 'dispatched', task_name: name });
      expect(await device.next('task')).toMatchObject({ task_name: name });
    },
  );

  test.each(['.', '..', '.a', 'a/b', 'a\\b', 'a b', 'a\n', 'a\0', 'ä', 'a%2e', 'a:b', '~', [], {}, true, 0])(
    '[AIP-110] may not name its task %j',
    async (name) => {
      await server.register('dev-1', 'device');
      const response = await server.dispatch({ client_id: 'dev-1', request: 'x', task_name: name });
      expect(response.status).toBe(400);
      expect((await response.json()).detail).toMatch(/^Invalid task_name: /);
    },
  );
});

describe('the result of a task', () => {
  const resultOf = async (name: string) => (await server.call(`/api/task_result/${name}`)).json();

  /** A dispatched task whose first command has reached the device. */
  async function aRunningTask(device: Peer, name: string): Promise<Frame> {
    await server.dispatch({ client_id: 'dev-1', request: '$ id', task_name: name });
    const { task_name, user_request } = await device.next('task');
    device.say({ type: 'task', status: 'continue', task_name, request: user_request });
    return device.next('command');
  }

  function answer(device: Peer, { session_id, response_id }: Frame, result: object): void {
    const results = { type: 'command_results', status: 'continue', session_id, prev_response_id: response_id };
    device.say({ ...results, action_results: [result] });
  }

  test('[AIP-111] is pending from the dispatch on, and done when the task has ended', async () => {
    const device = await server.register('dev-1', 'device');
    expect(await resultOf('nightly')).toEqual({ status: 'pending' });
    await server.dispatch({ client_id: 'dev-1', request: '$ id', task_name: 'nightly' });
    expect(await resultOf('nightly')).toEqual({ status: 'pending' });
    const command = await aRunningTask(device, 'nightly');
    expect(await resultOf('nightly')).toEqual({ status: 'pending' });
    answer(device, command, { status: 'success', result: 0 });
    expect(await device.next('task_end')).toMatchObject({ status: 'completed' });
    expect(await resultOf('nightly')).toEqual({ status: 'done', result: [{ request: '$ id', result: 0 }] });
  });

  test('[AIP-111] is answered at once to many who ask while it runs', async () => {
    const device = await server.register('dev-1', 'device');
    await aRunningTask(device, 'nightly');
    const answers = await Promise.all(Array.from({ length: 50 }, () => resultOf('nightly')));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill('pending'));
    expect(await (await server.call('/api/health')).json()).toMatchObject({ status: 'healthy' });
  });

  test('[AIP-111] is done after a failure, and after the loss of the device', async () => {
    const device = await server.register('dev-1', 'device');
    answer(device, await aRunningTask(device, 'fails'), { status: 'failure', error: 'no such command' });
    expect(await device.next('task_end')).toMatchObject({ status: 'failed' });
    expect(await resultOf('fails')).toMatchObject({ status: 'done' });
    device.frames.length = 0;
    await aRunningTask(device, 'is-lost');
    device.socket.terminate();
    await expect.poll(() => resultOf('is-lost')).toMatchObject({ status: 'done' });
  });

  test('[AIP-111] of a task that a constellation sent is found under the name that was made safe', async () => {
    const device = await server.register('dev-1', 'device');
    const constellation = await server.register('con-1', 'constellation');
    const [target_id, client_type] = ['dev-1', 'constellation'];
    constellation.say({
      type: 'task',
      status: 'continue',
      client_type,
      target_id,
      task_name: 'galaxy/r/t',
      request: '$ id',
    });
    const command = await device.next('command');
    expect(await resultOf('galaxy_r_t')).toEqual({ status: 'pending' });
    answer(device, command, { status: 'success', result: 'root' });
    await constellation.next('task_end');
    expect(await resultOf('galaxy_r_t')).toEqual({ status: 'done', result: [{ request: '$ id', result: 'root' }] });
  });

  test.each(['never-seen', '__proto__', 'constructor', 'a%2Fb', '..%2f..%2fetc', '%00', '%FF', '%', '%E4%B8%AD', '.x'])(
    '[AIP-111] of the name %s, which nobody knows, is pending',
    async (name) => {
      const response = await server.call(`/api/task_result/${name}`);
      expect([response.status, await response.json()]).toEqual([200, { status: 'pending' }]);
    },
  );
});

test('a route that exists answers a wrong method with the right one', async () => {
  const response = await server.call('/api/dispatch');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await server.call('/api/clients', { method: 'DELETE' })).status).toBe(405);
  for (const path of ['/api/nothing', '/api', '/api/task_result/', '/api/task_result/a/b', '/api/clients/']) {
    expect([path, (await server.call(path)).status]).toEqual([path, 404]);
  }
});
