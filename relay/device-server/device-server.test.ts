import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Logger } from '@/lib/std/logger';
import { DEVICE_SERVER_KEEP_ALIVE, MESSAGE_BYTES_MAX } from '@/relay/net/ws-transport';
import type { DeviceServerOptions } from './device-server';
import { type ADeviceServer, aDeviceServer, KEY, upgradeOf } from './testing/a-device-server';

const servers: ADeviceServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function aServer(options?: Partial<DeviceServerOptions>): Promise<ADeviceServer> {
  const server = await aDeviceServer(options);
  servers.push(server);
  return server;
}

const HEARTBEAT = { type: 'heartbeat', status: 'ok', client_type: 'device' };

/** A heartbeat of so many bytes on the wire. */
function heartbeatOf(bytes: number): string {
  const empty = JSON.stringify({ ...HEARTBEAT, timestamp: '' });
  return JSON.stringify({ ...HEARTBEAT, timestamp: 'x'.repeat(bytes - empty.length) });
}

describe('the token', () => {
  test.each([
    ['as it is', `/ws?token=${KEY}`],
    ['escaped', '/ws?token=%73ecret%2Dkey'],
    ['beside other parameters', `/ws?client=a&token=${KEY}&x=%FF`],
  ])('[AIP-19] that is right opens the socket, %s', async (_name, target) => {
    expect(await (await aServer()).statusOf(target)).toBe(101);
  });

  test.each([
    ['absent', '/ws'],
    ['empty', '/ws?token='],
    ['without a value', '/ws?token'],
    ['wrong', '/ws?token=nope'],
    ['a part of the right one', '/ws?token=secret'],
    ['longer than the right one', `/ws?token=${KEY}x`],
    ['of another case', '/ws?token=SECRET-KEY'],
    ['padded with a space', `/ws?token=%20${KEY}`],
    ['ended by a zero', `/ws?token=${KEY}%00`],
    ['escaped twice', '/ws?token=%2573ecret-key'],
    ['written in full-width letters', '/ws?token=%EF%BD%93ecret-key'],
    ['not ASCII', '/ws?token=%E4%B8%AD%E6%96%87'],
    ['not UTF-8', '/ws?token=%FF%FE'],
    ['a broken escape', '/ws?token=%'],
    ['given twice', `/ws?token=${KEY}&token=${KEY}`],
    ['given twice, once wrong', `/ws?token=nope&token=${KEY}`],
    ['in a list', `/ws?token[]=${KEY}`],
    ['under another name', `/ws?Token=${KEY}`],
    ['behind a semicolon', `/ws?a=1;token=${KEY}`],
    ['behind a hash', `/ws#?token=${KEY}`],
    ['of a megabyte', `/ws?token=${'x'.repeat(1024 * 1024)}`],
    ['in a target that is no path', `http://[/ws?token=${KEY}`],
    ['in a target with another host', `http://127.0.0.1/ws?token=${KEY}`],
  ])('[AIP-20][AIP-21] that is %s is refused with 403 before the upgrade', async (_name, target) => {
    const server = await aServer();
    const answer = await server.raw(upgradeOf(target));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer.split('\r\n\r\n')[1]).toBe('');
    expect(await server.statusOf(`/ws?token=${KEY}`)).toBe(101);
  });

  test.each(['X-API-Key', 'Authorization', 'Sec-WebSocket-Protocol', 'Cookie'])(
    '[AIP-20] in the header %s is none',
    async (header) => {
      expect(await (await aServer()).statusOf('/ws', [`${header}: ${KEY}`])).toBe(403);
    },
  );

  test('[AIP-28] is in no answer, neither the right one nor a wrong one', async () => {
    const logged: string[] = [];
    const log = (what: string, facts?: object) => void logged.push(`${what} ${JSON.stringify(facts)}`);
    const logger: Logger = { error: log, warn: log, info: log, debug: log };
    const server = await aServer({ logger });
    const wrong = 'wrong-key-0123456789';
    const get = (path: string, key: string) =>
      server.raw(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-API-Key: ${key}\r\n\r\n`);
    const { frames, say, next } = await server.register('dev-1', 'device');
    say({ type: 'task', status: 'ok', client_id: 'other', metadata: { token: KEY, other: wrong } });
    await next('error');

    const answers = await Promise.all([
      ...[KEY, wrong].flatMap((key) => [get('/api/clients', key), get(`/api/x?token=${key}`, key)]),
      ...[`/ws?token=${wrong}`, `/other?token=${KEY}`, `/ws?token=${KEY}&token=${wrong}`].map((target) =>
        server.raw(upgradeOf(target)),
      ),
      server.raw(upgradeOf(`/ws?token=${KEY}`)),
    ]);

    expect(answers.map((answer) => answer.length > 0)).not.toContain(false);
    for (const text of [...answers, ...logged, JSON.stringify(frames)]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(wrong);
    }
  });
});

describe('a connection', () => {
  test.each(['/other', '/', '/ws/', '/wss', '/WS', '//ws', '/api/clients', '/ws/../other'])(
    'exists on /ws only, not on %s',
    async (path) => {
      expect(await (await aServer()).statusOf(`${path}?token=${KEY}`)).toBe(404);
    },
  );

  test('that was refused is let go, even by a peer that never closes its end', async () => {
    const server = await aServer();
    const peer = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    peer.on('error', () => {}); // being cut off is the point
    peer.resume().write(upgradeOf('/ws?token=nope'));
    await once(peer, 'end');
    // That the other side is gone shows only at the next try to write.
    const insisting = setInterval(() => peer.write('still here'), 5);
    await new Promise((resolve) => peer.once('close', resolve));
    clearInterval(insisting);
    expect(await server.statusOf(`/ws?token=${KEY}`)).toBe(101);
  });

  test('of raw bytes in place of a request harms nobody', async () => {
    const server = await aServer();
    for (const bytes of [
      Buffer.from([0x47, 0x45, 0x54, 0x20, 0x2f, 0x77, 0x73, 0x3f, 0xff, 0xfe, 0x0d, 0x0a, 0x0d, 0x0a]),
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a]),
    ]) {
      expect(await server.raw(bytes)).not.toContain('101');
    }
    expect(await server.statusOf(`/ws?token=${KEY}`)).toBe(101);
  });

  test('[AIP-23] takes a message of just the limit, in bytes, and ends with 1009 after a larger one', async () => {
    const server = await aServer({ messageBytesMax: 10_000 });
    const other = await server.register('dev-0', 'device');
    for (const [id, isTaken, text] of [
      ['dev-1', true, heartbeatOf(10_000)],
      ['dev-2', false, heartbeatOf(10_001)],
      ['dev-3', false, `"${'é'.repeat(5_000)}"`],
    ] as const) {
      const peer = await server.register(id, 'device');
      peer.socket.send(text);
      if (isTaken) expect(await peer.next('heartbeat')).toMatchObject({ status: 'ok' });
      else expect([id, await peer.closed]).toEqual([id, 1009]);
    }
    other.say(HEARTBEAT);
    expect(await other.next('heartbeat')).toMatchObject({ status: 'ok' });
  });

  test('[AIP-23] ends with 1009 when the parts of a message are too large together', async () => {
    const { socket, closed } = await (await aServer({ messageBytesMax: 10_000 })).register('dev-1', 'device');
    for (let part = 0; part < 3; part += 1) socket.send('x'.repeat(4_000), { fin: false });
    expect(await closed).toBe(1009);
  });

  test('[AIP-23] takes a message of 104,857,600 bytes without being told so', async () => {
    expect(MESSAGE_BYTES_MAX).toBe(104_857_600);
    const peer = await (await aServer()).register('dev-1', 'device');
    peer.socket.send(heartbeatOf(MESSAGE_BYTES_MAX));
    expect(await peer.next('heartbeat')).toMatchObject({ status: 'ok' });
  });

  test('[AIP-24] is answered its pings, and ends when the peer answers none, so that its id is free', async () => {
    const { pingIntervalMs, pingTimeoutMs } = DEVICE_SERVER_KEEP_ALIVE;
    expect(pingIntervalMs + pingTimeoutMs).toBeLessThanOrEqual(40_000);
    const server = await aServer({ keepAlive: { pingIntervalMs: 20, pingTimeoutMs: 40 } });
    const dead = await server.register('dev-1', 'device', { autoPong: false });
    expect(await dead.closed).toBe(1006);
    const alive = await server.register('dev-1', 'device');
    alive.socket.ping('are you there');
    const [echo] = await once(alive.socket, 'pong');
    expect(String(echo)).toBe('are you there');
    for (let beat = 0; beat < 10; beat += 1) await once(alive.socket, 'ping');
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
  });

  test.each([
    ['offers compression', { perMessageDeflate: true }],
    ['offers none', { perMessageDeflate: false }],
  ])('[AIP-29] with a peer that %s works without', async (_name, options) => {
    const { socket, say, next } = await (await aServer()).register('dev-1', 'device', options);
    expect(socket.extensions).toBe('');
    say({ ...HEARTBEAT, timestamp: 'é😀'.repeat(10_000) });
    expect(await next('heartbeat')).toMatchObject({ status: 'ok' });
  });
});

test('closing twice is closing once, and the clients are told', async () => {
  const server = await aServer();
  const { closed } = await server.register('dev-1', 'device');
  await Promise.all([server.server.close(), server.server.close()]);
  expect(await closed).toBe(1001);
});
