import { expect, test } from 'vitest';
import { deviceResourceSchema, sessionSchema, ticketSchema } from '@/lib/relay-protocol/http';
import { FLEET_STREAM } from '@/lib/relay-protocol/streams';
import { deviceIdSchema } from '@/lib/std/ids';
import { deviceListSchema } from './api/device-routes';
import { anApp, problemOf } from './api/testing/an-app';

const LOCAL = deviceIdSchema.parse('linux-1');

const linux = { device_id: 'linux-1', server_url: 'ws://127.0.0.1:5000/ws?token=canary', os: 'linux' };

test('a device is added, shown, edited and removed, and its token is never shown', async () => {
  const { call } = anApp();
  const added = await call('POST /v1/devices', linux);
  expect([added.status, added.headers.get('location')]).toEqual([201, '/v1/devices/linux-1']);
  const resource = deviceResourceSchema.parse(await added.json());
  expect(resource).toMatchObject({
    device_id: 'linux-1',
    server_url: 'ws://127.0.0.1:5000/ws',
    status: 'disconnected',
  });
  const edited = await call('PATCH /v1/devices/linux-1', { capabilities: ['shell'], metadata: { room: 'b' } });
  expect(deviceResourceSchema.parse(await edited.json())).toMatchObject({ capabilities: ['shell'], os: 'linux' });
  const list = deviceListSchema.parse(await (await call('GET /v1/devices')).json());
  expect(list.devices).toHaveLength(1);
  expect(JSON.stringify(list)).not.toContain('canary');
  expect((await call('DELETE /v1/devices/linux-1')).status).toBe(204);
  expect((await problemOf(await call('GET /v1/devices/linux-1'))).code).toBe('device-unknown');
});

test('the same request with the same Idempotency-Key is done once', async () => {
  const { call, runtime } = anApp();
  const key = { 'idempotency-key': 'key-00000001' };
  const first = await call('POST /v1/devices', linux, key);
  const second = await call('POST /v1/devices', linux, key);
  const other = await call('POST /v1/devices', { ...linux, os: 'windows' }, key);
  expect([first.status, second.status, other.status]).toEqual([201, 201, 409]);
  expect(runtime.head(FLEET_STREAM).number).toBe(1);
});

test.each([
  ['no token', 'GET /v1/devices', { headers: { authorization: '' } }, '401 not-signed-in'],
  ['a wrong token', 'GET /v1/devices', { headers: { authorization: 'Bearer wrong' } }, '401 not-signed-in'],
  ['an unknown path', 'GET /v1/nothing', {}, '404 not-found'],
  ['a wrong method', 'PUT /v1/devices', { body: {} }, '405 method-not-allowed'],
  [
    'a form',
    'POST /v1/devices',
    { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    '415 unsupported-media-type',
  ],
  ['no JSON', 'POST /v1/devices', { body: '{"device_id":' }, '400 not-json'],
  ['[S19] deep JSON', 'POST /v1/devices', { body: `${'['.repeat(20_000)}${']'.repeat(20_000)}` }, '422 too-deep'],
  ['[S20] __proto__', 'POST /v1/devices', { body: '{"metadata":{"__proto__":{"polluted":1}}}' }, '422 forbidden-key'],
  ['[S24] a server field', 'POST /v1/devices', { body: { ...linux, secret_ref: 'x' } }, '422 invalid'],
  ['[S21] a reserved id', 'POST /v1/devices', { body: { ...linux, device_id: 'constructor' } }, '422 invalid'],
  ['a huge body', 'POST /v1/devices', { body: `"${'x'.repeat(300_000)}"` }, '413 too-large'],
  [
    'a bad key',
    'POST /v1/devices',
    { body: linux, headers: { 'idempotency-key': 'no' } },
    '422 invalid-idempotency-key',
  ],
] as const)('%s is answered with a problem', async (...[, what, request, answer]) => {
  const { body, headers }: { body?: unknown; headers?: Record<string, string> } = request;
  const problem = await problemOf(await anApp().call(what, body, headers));
  expect(`${problem.status} ${problem.code}`).toBe(answer);
});

test('a refusal of a wrong field names the field', async () => {
  const problem = await problemOf(await anApp().call('POST /v1/devices', { ...linux, max_retries: 'many' }));
  expect(problem.errors).toEqual([{ path: 'max_retries', message: expect.stringContaining('expected number') }]);
});

test('a device that exists already is a conflict', async () => {
  const { call } = anApp();
  await call('POST /v1/devices', linux);
  expect((await problemOf(await call('POST /v1/devices', linux))).code).toBe('device-exists');
});

test('[S35] a fault inside tells its id only; the log has the rest under the same id', async () => {
  const { call, logged } = anApp();
  const response = await call('GET /v1/broken');
  const problem = await problemOf(response);
  expect(JSON.stringify(problem)).not.toMatch(/SELECT|home|at /);
  expect(logged.join()).toContain(String(problem.instance).replace('urn:uuid:', ''));
});

test('a refresh of a device that is away is refused, and waits for its return when asked to', async () => {
  const { call } = anApp();
  await call('POST /v1/devices', linux);
  expect((await problemOf(await call('POST /v1/devices/linux-1/refresh'))).code).toBe('device-offline');
  expect((await call('POST /v1/devices/linux-1/refresh', { when: 'on-return' })).status).toBe(202);
});

test('a refresh with wait=true answers when the device has answered', async () => {
  const { call, runtime, clock } = anApp();
  await call('POST /v1/devices', linux);
  const atMs = clock.now();
  const status = { type: 'device-status-changed', atMs, deviceId: LOCAL, status: 'idle', reason: null } as const;
  runtime.commit(FLEET_STREAM, [{ ...status, connectionAttempts: 1 }]);
  const waiting = call('POST /v1/devices/linux-1/refresh?wait=true');
  await new Promise((resolve) => setImmediate(resolve));
  const received = { type: 'device-info-received', atMs, deviceId: LOCAL, info: { cpu: 2 }, origin: 'device' } as const;
  runtime.commit(FLEET_STREAM, [{ ...received, askedAtMs: atMs, collectedAtMs: atMs }]);
  const response = await waiting;
  expect(response.status).toBe(200);
  expect(deviceResourceSchema.parse(await response.json())).toMatchObject({ info: { cpu: 2 }, info_origin: 'device' });
});

test('a refresh that nobody answers ends after 12 s with 504', async () => {
  const { call, runtime, clock } = anApp();
  await call('POST /v1/devices', linux);
  const status = {
    type: 'device-status-changed',
    atMs: clock.now(),
    deviceId: LOCAL,
    status: 'idle',
    reason: null,
  } as const;
  runtime.commit(FLEET_STREAM, [{ ...status, connectionAttempts: 1 }]);
  const waiting = call('POST /v1/devices/linux-1/refresh?wait=true');
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(12_000);
  expect((await problemOf(await waiting)).code).toBe('refresh-timeout');
});

test('a sign-in code becomes a cookie once; the cookie gets tickets; signing out voids it', async () => {
  const { app, signInCodes } = anApp();
  const code = signInCodes.issue();
  const page = { 'content-type': 'application/json', origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' };
  const signIn = () => app.request('/v1/session', { method: 'POST', headers: page, body: JSON.stringify({ code }) });
  const first = await signIn();
  expect(first.status).toBe(201);
  expect(sessionSchema.parse(await first.json())).toEqual({ actor: 'operator', role: 'admin' });
  expect((await problemOf(await signIn())).code).toBe('sign-in-code-invalid');
  const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const asked = await app.request('/v1/tickets', { method: 'POST', headers: { ...page, cookie } });
  expect(ticketSchema.parse(await asked.json()).expires_in_seconds).toBe(30);
  expect((await app.request('/v1/session', { headers: { cookie } })).status).toBe(200);
  const out = await app.request('/v1/session', { method: 'DELETE', headers: { ...page, cookie } });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  expect((await app.request('/v1/session', { headers: { cookie } })).status).toBe(401);
});

test('a foreign page can neither sign a browser in nor use its cookie', async () => {
  const { app, signInCodes, sessions } = anApp();
  const foreign = { 'content-type': 'application/json', origin: 'http://evil.test' };
  const body = JSON.stringify({ code: signInCodes.issue() });
  expect((await app.request('/v1/session', { method: 'POST', headers: foreign, body })).status).toBe(403);
  const cookie = `orrery_session=${sessions.start('operator', 'admin')}`;
  expect((await app.request('/v1/tickets', { method: 'POST', headers: { ...foreign, cookie } })).status).toBe(403);
});

test('a viewer gets neither sign-in links nor changes nor reasons of failed connections', async () => {
  const { app, call, runtime, sessions } = anApp();
  await call('POST /v1/devices', linux);
  const gone = { type: 'device-status-changed', atMs: 1, deviceId: LOCAL, status: 'failed' } as const;
  runtime.commit(FLEET_STREAM, [{ ...gone, reason: 'connect ECONNREFUSED 10.0.0.5:22', connectionAttempts: 3 }]);
  const headers = { cookie: `orrery_session=${sessions.start('ann', 'viewer')}`, 'sec-fetch-site': 'same-origin' };
  for (const path of ['/v1/sign-in-links', '/v1/devices/import', '/v1/runs']) {
    expect([path, (await app.request(path, { method: 'POST', headers })).status]).toEqual([path, 403]);
  }
  expect((await app.request('/v1/devices/linux-1', { method: 'DELETE', headers })).status).toBe(403);
  const shown = await (await app.request('/v1/devices/linux-1', { headers })).text();
  expect(shown).not.toContain('ECONNREFUSED');
});

test('health is open and tells nothing; readiness follows the journal', async () => {
  const { app, runtime } = anApp();
  expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' });
  expect((await app.request('/readyz')).status).toBe(200);
  runtime.ready = false;
  expect((await app.request('/readyz')).status).toBe(503);
});

test('the description names every route and parses as JSON', async () => {
  const description = await (await anApp().call('GET /v1/openapi.json')).json();
  expect(description.openapi).toBe('3.1.0');
  expect(Object.keys(description.paths)).toContain('/v1/devices/{id}/refresh');
  expect(description.paths['/v1/devices'].post.requestBody.content['application/json'].schema.required).toEqual([
    'device_id',
    'server_url',
  ]);
  expect((await anApp().app.request('/v1/openapi.json')).status).toBe(401);
});

test('answers are never cached, sniffed or framed', async () => {
  const { headers } = await anApp().call('GET /v1/devices');
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test('[S34] neither codes nor cookies nor tickets reach the log', async () => {
  const { app, call, signInCodes, logged } = anApp();
  const code = signInCodes.issue();
  const headers = { 'content-type': 'application/json' };
  const signIn = () => app.request('/v1/session', { method: 'POST', headers, body: JSON.stringify({ code }) });
  const cookie = ((await signIn()).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  await signIn();
  const { ticket } = await (await call('POST /v1/tickets')).json();
  const { url } = await (await call('POST /v1/sign-in-links')).json();
  await call('POST /v1/devices', linux);
  await call(`GET /v1/broken?ticket=${ticket}`);
  expect(logged.join()).toContain('signed-in');
  for (const secret of [code, cookie.split('=')[1] ?? '?', ticket, url.split('=')[1], 'canary', 't'.repeat(32)]) {
    expect(logged.join()).not.toContain(secret);
  }
});
