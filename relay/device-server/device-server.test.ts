import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { scriptedAgent } from './agents/scripted-agent';
import { type DeviceServer, openDeviceServer } from './device-server';

const KEY = 'secret-key';

let server: DeviceServer;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  server = await openServer();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await server.close();
});

function openServer(messageBytesMax?: number): Promise<DeviceServer> {
  return openDeviceServer({
    host: '127.0.0.1',
    port: 0,
    apiKey: KEY,
    agent: scriptedAgent,
    clock: createNodeClock(),
    random: createNodeRandom(),
    logger: silentLogger,
    ...(messageBytesMax !== undefined && { messageBytesMax }),
  });
}

const urlOf = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const call = (path: string, init: RequestInit = {}) =>
  fetch(urlOf(path), { ...init, headers: { 'x-api-key': KEY, ...init.headers } });
const dispatch = (body: unknown) => call('/api/dispatch', { method: 'POST', body: JSON.stringify(body) });

type Peer = {
  readonly frames: Record<string, unknown>[];
  readonly socket: WebSocket;
  next(): Promise<Record<string, unknown>>;
};

async function register(client_id: string, client_type: 'device' | 'constellation'): Promise<Peer> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws?token=${KEY}`);
  sockets.push(socket);
  const frames: Record<string, unknown>[] = [];
  const waiting: ((frame: Record<string, unknown>) => void)[] = [];
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data));
    frames.push(frame);
    waiting.shift()?.(frame);
  });
  const next = () => new Promise<Record<string, unknown>>((resolve) => waiting.push(resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const confirmed = next();
  const metadata = { platform: 'linux' };
  socket.send(JSON.stringify({ type: 'register', status: 'ok', client_type, client_id, metadata }));
  expect(await confirmed).toMatchObject({ type: 'heartbeat', status: 'ok' });
  frames.length = 0;
  return { frames, socket, next };
}

/** Status of an upgrade that is refused; 101 when it is not. */
function statusOf(target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const request = httpRequest({ host: '127.0.0.1', port: server.port, path: target, headers });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

test('[AIP-19] the right token opens the socket', async () => {
  expect(await statusOf(`/ws?token=${KEY}`)).toBe(101);
});

test.each([
  ['none', '/ws'],
  ['an empty one', '/ws?token='],
  ['a wrong one', '/ws?token=nope'],
  ['a part of it', '/ws?token=secret'],
  ['another case', '/ws?token=SECRET-KEY'],
  ['one that is not ASCII', '/ws?token=%E4%B8%AD%E6%96%87'],
  ['one that is not UTF-8', '/ws?token=%FF%FE'],
  ['a broken escape', '/ws?token=%'],
  ['two', `/ws?token=${KEY}&token=${KEY}`],
  ['one of a megabyte', `/ws?token=${'x'.repeat(1024 * 1024)}`],
  ['a target that is no path', `http://[/ws?token=${KEY}`],
])('[AIP-20][AIP-21] a token that is %s is refused with 403 before the upgrade', async (_name, target) => {
  expect(await statusOf(target)).toBe(403);
  expect(await statusOf(`/ws?token=${KEY}`)).toBe(101);
});

test('sockets exist on /ws only', async () => {
  expect(await statusOf(`/other?token=${KEY}`)).toBe(404);
});

test('raw bytes in place of a request harm nobody', async () => {
  const raw = connectTcp(server.port, '127.0.0.1');
  raw.on('error', () => {}); // being cut off is one of the right answers
  raw.write(Buffer.from([0x47, 0x45, 0x54, 0x20, 0x2f, 0x77, 0x73, 0x3f, 0xff, 0xfe, 0x0d, 0x0a, 0x0d, 0x0a]));
  await new Promise((resolve) => raw.once('close', resolve).resume());
  expect(await statusOf(`/ws?token=${KEY}`)).toBe(101);
});

test('[AIP-23] a message that is too large closes its connection with 1009', async () => {
  await server.close();
  server = await openServer(10_000);
  const { socket } = await register('dev-1', 'device');
  socket.send('x'.repeat(20_000));
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1009);
});

type HttpCase = {
  readonly name: string;
  readonly input: { readonly route?: string; readonly args?: readonly unknown[]; readonly 'X-API-Key'?: string };
  readonly output: { readonly status: number; readonly body: unknown; readonly frames_to_client?: readonly object[] };
};

const vectors: { cases: readonly HttpCase[] } = JSON.parse(
  await readFile(new URL('./testing/vectors/http_api.json', import.meta.url), 'utf8'),
);

test.each(vectors.cases.map((each) => [each.name, each] as const))(
  '[AIP-110][AIP-112] http_api: %s',
  async (_name, vector) => {
    const device = await register('dev-1', 'device');
    await register('con-1', 'constellation');
    const response = await answerTo(vector.input);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: vector.output.status,
      body: placeholders(vector.output.body),
    });
    const expected = vector.output.frames_to_client ?? [];
    if (expected.length > 0 && device.frames.length === 0) await device.next();
    expect(device.frames.map(withoutNulls)).toEqual(expected.map(placeholders));
  },
);

async function answerTo({ route, args = [], ...input }: HttpCase['input']): Promise<Response> {
  if (route === undefined) return call('/api/clients', { headers: { 'x-api-key': input['X-API-Key'] ?? '' } });
  const [method = '', path = ''] = route.split(' ');
  if (method === 'POST') return dispatch(args[0]);
  return call(path.replace('{task_name}', String(args[0])));
}

/** `<uuid:1>` and the like stand for values that are made at each call. */
function placeholders(value: unknown): unknown {
  if (typeof value === 'string' && /^<.+>$/.test(value)) return expect.any(String);
  if (Array.isArray(value)) return value.map(placeholders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, placeholders(member)]));
}

function withoutNulls(frame: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== null));
}

test('[AIP-22] a missing key is refused on every route', async () => {
  for (const path of ['/api/clients', '/api/health', '/api/task_result/x', '/api/anything']) {
    const response = await fetch(urlOf(path));
    expect(response.status).toBe(422);
    expect(await response.text()).not.toContain(KEY);
  }
  expect((await fetch(urlOf('/api/dispatch'), { method: 'POST', body: '{}' })).status).toBe(422);
});

test.each([
  ['no JSON', 'x', 422],
  ['an array', '[]', 422],
  ['text that is a number', '{"client_id": "dev-1", "request": 5}', 422],
  ['a client that is an object', '{"client_id": {"a": 1}, "request": "x"}', 422],
  ['an empty list as request', '{"client_id": "dev-1", "request": []}', 400],
  ['only spaces as request', '{"client_id": "dev-1", "request": "  "}', 400],
  ['a megabyte too much', `{"request": "${'x'.repeat(1_100_000)}"}`, 413],
])('[AIP-113] a dispatch with %s is the sender’s mistake', async (_name, body, status) => {
  await register('dev-1', 'device');
  const response = await call('/api/dispatch', { method: 'POST', body });
  expect(response.status).toBe(status);
  expect(await response.json()).toHaveProperty('detail');
});

test('a route that exists answers a wrong method with the right one', async () => {
  const response = await call('/api/dispatch');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await call('/api/clients', { method: 'DELETE' })).status).toBe(405);
  expect((await call('/api/nothing')).status).toBe(404);
});

test('[AIP-112] a constellation is no target of a dispatch', async () => {
  await register('con-1', 'constellation');
  expect((await dispatch({ client_id: 'con-1', request: 'x' })).status).toBe(400);
});

test('[AIP-111] a dispatched task is pending while it runs and done with its result afterwards', async () => {
  const device = await register('dev-1', 'device');
  const assignment = device.next();
  await dispatch({ client_id: 'dev-1', request: '$ id', task_name: 'nightly' });
  const { task_name, user_request } = await assignment;
  const acknowledged = device.next();
  device.socket.send(JSON.stringify({ type: 'task', status: 'continue', task_name, request: user_request }));
  await acknowledged;
  expect(await (await call('/api/task_result/nightly')).json()).toEqual({ status: 'pending' });
  const { session_id, response_id } = device.frames.find((frame) => frame.type === 'command') ?? (await device.next());
  const ended = device.next();
  device.socket.send(
    JSON.stringify({
      type: 'command_results',
      status: 'continue',
      session_id,
      prev_response_id: response_id,
      action_results: [{ status: 'success', result: 0 }],
    }),
  );
  expect(await ended).toMatchObject({ type: 'task_end', status: 'completed' });
  expect(await (await call('/api/task_result/nightly')).json()).toEqual({
    status: 'done',
    result: [{ request: '$ id', result: 0 }],
  });
});

test('closing twice is closing once, and the clients are told', async () => {
  const { socket } = await register('dev-1', 'device');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.all([server.close(), server.close()]);
  expect(await closed).toBe(1001);
});
