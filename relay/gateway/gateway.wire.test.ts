import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FLEET_STREAM } from '@/lib/relay-protocol/streams';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import { listen } from '@/relay/listen';
import { deviceAdded } from './testing/a-gateway';
import { startWireRelay, type WireOptions, type WireRelay } from './testing/wire-relay';

/** A busy machine may take its time; the promise is that it comes. */
const eventually = (read: () => unknown) => expect.poll(read, { timeout: 15_000 });

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function aRelay(options?: WireOptions): Promise<WireRelay> {
  const relay = await startWireRelay(options);
  closers.push(relay.close);
  return relay;
}

function upgrade(relay: WireRelay, headers: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    Host: `127.0.0.1:${relay.port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': SUBPROTOCOL,
    Origin: relay.origin,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `GET /ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

const statusOf = (answer: string) => answer.split('\r\n')[0]?.split(' ')[1];

test.each([
  ['a suffix', 'http://127.0.0.1:PORT.evil.test'],
  ['a prefix', 'http://evil.test/http://127.0.0.1:PORT'],
  ['userinfo', 'http://127.0.0.1:PORT@evil.test'],
  ['null', 'null'],
  ['another port', 'http://127.0.0.1:1'],
  ['no port', 'http://127.0.0.1'],
  ['a trailing dot', 'http://localhost.:PORT'],
  ['https', 'https://127.0.0.1:PORT'],
  ['case', 'HTTP://127.0.0.1:PORT'],
  ['a path', 'http://127.0.0.1:PORT/'],
  ['a subdomain', 'http://a.localhost:PORT'],
  ['nothing', ''],
])('[S01] an upgrade from an origin with %s is refused', async (_, origin) => {
  const relay = await aRelay();
  const answer = await relay.raw(upgrade(relay, { Origin: origin.replace('PORT', String(relay.port)) }));
  expect(statusOf(answer)).toBe('403');
});

test('[S01] without an origin a request with a cookie is refused, and a program with a ticket is served', async () => {
  const relay = await aRelay();
  expect(statusOf(await relay.raw(upgrade(relay, { Origin: undefined, Cookie: 'orrery_session=x' })))).toBe('403');
  const socket = relay.rawSocket();
  socket.write(upgrade(relay, { Origin: undefined }));
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  expect(statusOf(first.toString('latin1'))).toBe('101');
  socket.destroy();
});

test('[S02] a foreign host name is refused on upgrades, on the API and on pages, even from this machine', async () => {
  const relay = await aRelay();
  expect(statusOf(await relay.raw(upgrade(relay, { Host: 'evil.test' })))).toBe('421');
  for (const path of ['/v1/devices', '/', '/_next/static/x.js']) {
    const request = `GET ${path} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`;
    expect([path, statusOf(await relay.raw(request))]).toEqual([path, '421']);
  }
});

test('[S06][T01] a hundred upgrades to h2c that are reset leave a relay that serves, and no socket', async () => {
  const relay = await aRelay();
  const request = upgrade(relay, { Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' });
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const socket = relay.rawSocket();
      socket.on('error', () => {});
      return new Promise<void>((resolve) => {
        socket.resume();
        socket.on('close', () => resolve());
        socket.write(request, () => (index % 2 === 0 ? socket.resetAndDestroy() : socket.end()));
      });
    }),
  );
  expect(statusOf(await relay.raw(request))).toBe('426');
  expect((await fetch(`${relay.origin}/healthz`)).status).toBe(200);
  expect(relay.entrance.connectionCount).toBe(0);
});

test('[S06][T05] a reset right after a refused upgrade does not hurt', async () => {
  const relay = await aRelay();
  for (let index = 0; index < 100; index += 1) {
    const socket = relay.rawSocket();
    socket.on('error', () => {});
    socket.write(upgrade(relay, { Origin: 'http://evil.test' }), () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.on('close', resolve));
  }
  expect((await fetch(`${relay.origin}/healthz`)).status).toBe(200);
});

test.each([
  ['another path', (text: string) => text.replace('/ws', '/v1/devices'), '426'],
  ['POST', (text: string) => text.replace('GET', 'POST'), '400'],
  ['no subprotocol of ours', (text: string) => text.replace(SUBPROTOCOL, 'other.v1'), '400'],
  [
    'a thousand subprotocols',
    (text: string) => text.replace(SUBPROTOCOL, Array(1000).fill(SUBPROTOCOL).join(', ')),
    '400',
  ],
  ['no key', (text: string) => text.replace(/Sec-WebSocket-Key: .*\r\n/, ''), '400'],
  ['headers without end', (text: string) => text.replace('Host', `X: ${'x'.repeat(20_000)}\r\nHost`), '400'],
])('[S08] an upgrade with %s is answered and closed', async (_, change, status) => {
  const relay = await aRelay();
  const answer = statusOf(await relay.raw(change(upgrade(relay))));
  expect(answer === status || answer === '431').toBe(true);
});

test('[S14] more sockets than the limits allow are refused, and places are given back', async () => {
  const relay = await aRelay({ connectionsPerAddressMax: 2 });
  const pages = [relay.browser(), relay.browser()];
  for (const page of pages) await page.hello(relay.ticketOf());
  expect(statusOf(await relay.raw(upgrade(relay, { 'X-Forwarded-For': '10.9.8.7' })))).toBe('429');
  for (const page of pages) page.socket.close();
  await Promise.all(pages.map((page) => page.closed));
  await eventually(() => relay.entrance.connectionCount).toBe(0);
  const again = relay.browser();
  await again.hello(relay.ticketOf());
  expect((await again.next('welcome')).actor).toBe('operator');
});

test('[S16] a frame over 64 KiB closes its socket with 1009 and no other', async () => {
  const relay = await aRelay();
  const [big, other] = [relay.browser(), relay.browser()];
  await Promise.all([big.hello(relay.ticketOf()), other.hello(relay.ticketOf())]);
  await Promise.all([big.next('welcome'), other.next('welcome')]);
  big.socket.send('x'.repeat(65_537));
  expect(await big.closed).toBe(1009);
  other.say({ type: 'subscribe', stream: FLEET_STREAM, from: null });
  expect((await other.next('snapshot')).stream).toBe('fleet');
});

test('[S18] compression is not negotiated', async () => {
  const relay = await aRelay();
  const page = relay.browser();
  await page.hello(relay.ticketOf());
  await page.next('welcome');
  expect(page.socket.extensions).toBe('');
});

test('[S17] endless fragments are refused', async () => {
  const relay = await aRelay();
  const page = relay.browser();
  await page.hello(relay.ticketOf());
  await page.next('welcome');
  for (let index = 0; index < 70_000; index += 1) page.socket.send('x', { fin: false });
  expect([1008, 1009, 1006]).toContain(await page.closed);
});

test('[S23] binary and broken UTF-8 are refused', async () => {
  const relay = await aRelay();
  const [binary, broken] = [relay.browser(), relay.browser()];
  await Promise.all([binary.hello(relay.ticketOf()), broken.hello(relay.ticketOf())]);
  await Promise.all([binary.next('welcome'), broken.next('welcome')]);
  binary.socket.send(Buffer.from([1, 2, 3]));
  broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
  expect([await binary.closed, await broken.closed]).toEqual([4001, 1007]);
});

test('[S12] signing out over HTTP closes the sockets of that session with 4010', async () => {
  const relay = await aRelay();
  const cookie = `orrery_session=${relay.sessions.start('operator', 'admin')}`;
  const headers = { cookie, origin: relay.origin };
  const { ticket } = await (await fetch(`${relay.origin}/v1/tickets`, { method: 'POST', headers })).json();
  const page = relay.browser({ cookie });
  await page.hello(ticket);
  await page.next('welcome');
  await fetch(`${relay.origin}/v1/session`, { method: 'DELETE', headers });
  expect(await page.closed).toBe(4010);
});

test('[T07] frames in the same packet as the handshake arrive, in order', async () => {
  const relay = await aRelay();
  const page = relay.browser();
  await page.hello(relay.ticketOf());
  for (let index = 0; index < 20; index += 1) {
    const device = { deviceId: `d${index}`, serverUrl: 'ws://127.0.0.1:5000/ws' };
    page.say({ type: 'command', commandId: `command-${index}`, command: { type: 'device-add', device } });
  }
  await eventually(() => page.frames.filter((frame) => frame.type === 'result').length).toBe(20);
  expect(relay.runtime.submitted.map((input) => input.commandId)).toEqual(
    Array.from({ length: 20 }, (_, index) => `command-${index}`),
  );
});

test('[S30] a page that never reads costs a bounded amount, and another one is served meanwhile', async () => {
  const relay = await aRelay();
  const [stuck, reading] = [relay.browser(), relay.browser()];
  await Promise.all([
    stuck.hello(relay.ticketOf(), [{ stream: FLEET_STREAM, from: null }]),
    reading.hello(relay.ticketOf(), [{ stream: FLEET_STREAM, from: null }]),
  ]);
  await Promise.all([stuck.next('snapshot'), reading.next('snapshot')]);
  stuck.socket.pause();
  for (let round = 0; round < 20; round += 1) {
    relay.runtime.commit(
      FLEET_STREAM,
      Array.from({ length: 50 }, (_, index) => deviceAdded(`d${round}-${index}`)),
    );
    const number = relay.runtime.head(FLEET_STREAM).number;
    await eventually(
      () => reading.frames.flatMap((frame) => (frame.type === 'events' ? frame.events : [])).length,
    ).toBe(number);
    reading.say({ type: 'ack', positions: [{ stream: FLEET_STREAM, number }] });
  }
  stuck.socket.resume();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(stuck.frames.flatMap((frame) => (frame.type === 'events' ? frame.events : [])).length).toBeLessThanOrEqual(
    320,
  );
});

async function aPageServer(handle: (headers: IncomingHttpHeaders) => { status: number; body: string }) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const { status, body } = handle(request.headers);
    response.writeHead(status, { 'content-type': 'text/html', connection: 'close', 'x-powered-by': 'test' });
    response.end(body);
  });
  const port = await listen(server, '127.0.0.1', 0);
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return { nextOrigin: `http://127.0.0.1:${port}`, seen };
}

test('[S48] a page carries a policy with a nonce of its own, which the page server was told', async () => {
  const { nextOrigin, seen } = await aPageServer((headers) => ({ status: 200, body: String(headers['x-nonce']) }));
  const relay = await aRelay({ pages: { nextOrigin, staticDir: '/nowhere' } });
  const [first, second] = [await fetch(`${relay.origin}/runs?a=1`), await fetch(`${relay.origin}/`)];
  const nonce = await first.text();
  expect(first.headers.get('content-security-policy')).toContain(`'nonce-${nonce}' 'strict-dynamic'`);
  expect(first.headers.get('content-security-policy')).not.toContain('unsafe-eval');
  expect(seen[0]?.['content-security-policy']).toBe(first.headers.get('content-security-policy'));
  expect(await second.text()).not.toBe(nonce);
  expect(first.headers.get('referrer-policy')).toBe('no-referrer');
  expect(first.headers.get('connection')).not.toBe('close');
});

test('the page server gets no token and no cookie of ours', async () => {
  const { nextOrigin, seen } = await aPageServer(() => ({ status: 200, body: '' }));
  const relay = await aRelay({ pages: { nextOrigin, staticDir: '/nowhere' } });
  const headers = { authorization: 'Bearer canary', cookie: 'theme=dark; orrery_session=canary' };
  await fetch(`${relay.origin}/`, { headers });
  expect(JSON.stringify(seen)).not.toContain('canary');
  expect(seen[0]?.cookie).toBe('theme=dark');
});

test('while the page server is away there is a plain page that loads again by itself, and the API goes on', async () => {
  const relay = await aRelay({ pages: { nextOrigin: 'http://127.0.0.1:1', staticDir: '/nowhere' } });
  const response = await fetch(`${relay.origin}/runs`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await response.text()).toContain('http-equiv="refresh"');
  expect((await fetch(`${relay.origin}/readyz`)).status).toBe(200);
});

test('a page server that drops connections between two requests costs no page', async () => {
  const answered = new WeakSet<object>();
  const server = createServer((request, response) => {
    if (answered.has(request.socket)) return void request.socket.destroy();
    answered.add(request.socket);
    response.end('page');
  });
  const port = await listen(server, '127.0.0.1', 0);
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const relay = await aRelay({ pages: { nextOrigin: `http://127.0.0.1:${port}`, staticDir: '/nowhere' } });
  for (let visit = 0; visit < 3; visit += 1) {
    const response = await fetch(`${relay.origin}/runs`);
    expect([response.status, await response.text()]).toEqual([200, 'page']);
  }
});

test('built files are served for ever by the relay itself, and nothing outside of their folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-static-'));
  const staticDir = join(folder, 'static');
  mkdirSync(join(staticDir, 'chunks'), { recursive: true });
  writeFileSync(join(staticDir, 'chunks', 'a-1.js'), 'export {};'.repeat(100));
  writeFileSync(join(folder, 'secret.js'), 'canary');
  const { nextOrigin } = await aPageServer(() => ({ status: 404, body: 'no' }));
  const relay = await aRelay({ pages: { nextOrigin, staticDir } });
  const file = await fetch(`${relay.origin}/_next/static/chunks/a-1.js`);
  expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  expect(file.headers.get('cache-control')).toContain('immutable');
  expect(await file.text()).toBe('export {};'.repeat(100));
  for (const path of ['..%2fsecret.js', '%2e%2e/secret.js', 'chunks', 'chunks/a-1.js%00', '%zz']) {
    const request = `GET /_next/static/${path} HTTP/1.1\r\nHost: 127.0.0.1:${relay.port}\r\nConnection: close\r\n\r\n`;
    const answer = await relay.raw(request);
    expect([path, statusOf(answer)]).toEqual([path, '404']);
    expect(answer).not.toContain('canary');
  }
});

test('a stop tells every page to come back, and leaves no socket', async () => {
  const relay = await startWireRelay();
  const pages = Array.from({ length: 20 }, () => relay.browser());
  await Promise.all(pages.map((page) => page.hello(relay.ticketOf())));
  await Promise.all(pages.map((page) => page.next('welcome')));
  await relay.close();
  expect(await Promise.all(pages.map((page) => page.closed))).toEqual(Array(20).fill(4200));
  expect(relay.entrance.connectionCount).toBe(0);
});
