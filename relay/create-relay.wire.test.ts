import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FLEET_STREAM, RUNS_STREAM } from '@/lib/relay-protocol/streams';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import { silentLogger } from '@/lib/std/logger';
import { parseRelayConfig } from './config';
import { createRelay, type Relay } from './create-relay';
import { WIRE_TOKEN, WirePage } from './gateway/testing/wire-relay';
import { createNodeClock } from './net/node-clock';
import { createNodeRandom } from './net/node-random';

/** A busy machine may take its time; the promise is that it comes. */
const eventually = (read: () => unknown) => expect.poll(read, { timeout: 15_000 });

const relays = new Set<Relay>();
afterEach(async () => {
  for (const relay of relays) await relay.close();
  relays.clear();
});

/** The real thing: journal on disk, one writer, real sockets. */
async function aRelay(dataDir = mkdtempSync(join(tmpdir(), 'orrery-relay-'))) {
  const config = parseRelayConfig({ ORRERY_DATA_DIR: dataDir, ORRERY_PORT: '0', ORRERY_TOKEN: WIRE_TOKEN });
  if (!config.ok) throw new Error('Expected good settings');
  const onFatal = (cause: unknown) => {
    throw cause;
  };
  const ports = { clock: createNodeClock(), random: createNodeRandom(), logger: silentLogger, onFatal };
  const relay = await createRelay({ config: config.value, ...ports });
  relays.add(relay);
  const headers = { authorization: `Bearer ${WIRE_TOKEN}`, 'content-type': 'application/json' };
  const post = async (path: string, body: unknown = {}) => {
    const response = await fetch(relay.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  return {
    relay,
    dataDir,
    post,
    async page() {
      const { ticket } = (await post('/v1/tickets')).body;
      const page = new WirePage(new WebSocket(`${relay.origin.replace('http', 'ws')}/ws`, SUBPROTOCOL));
      return { page, hello: (from: Parameters<WirePage['hello']>[1]) => page.hello(ticket, from) };
    },
  };
}

const device = (deviceId: string) => ({ device_id: deviceId, server_url: 'ws://127.0.0.1:9/ws', auto_connect: false });
const star = { task_id: 'a', name: 'A', description: '$ echo hi', target_device_id: null };
const plan = { constellation_id: 'c1', name: 'One', tasks: { a: star }, dependencies: {} };

test('what HTTP changes, a page sees; a run of an import appears in the list of runs', async () => {
  const { post, page: open } = await aRelay();
  const { page, hello } = await open();
  await hello([
    { stream: FLEET_STREAM, from: null },
    { stream: RUNS_STREAM, from: null },
  ]);
  await page.next('snapshot');
  await post('/v1/devices', device('linux-1'));
  const { id } = (await post('/v1/runs', plan)).body;
  const seen = () => JSON.stringify(page.frames.filter((frame) => frame.type === 'events'));
  await eventually(seen).toContain('linux-1');
  await eventually(seen).toContain(id);
});

test('after a restart a page goes on from its position without a reset, and a command sent again is not done again', async () => {
  const first = await aRelay();
  await first.post('/v1/devices', device('linux-1'));
  const before = await first.page();
  await before.hello([{ stream: FLEET_STREAM, from: null }]);
  const { epoch, number } = await before.page.next('snapshot');
  const add = {
    type: 'device-add',
    device: { deviceId: 'linux-2', serverUrl: 'ws://127.0.0.1:9/ws', autoConnect: false },
  };
  const command = { type: 'command', commandId: 'command-2', command: add };
  before.page.say(command);
  expect((await before.page.next('result')).outcome.status).toBe('accepted');
  await first.relay.close();
  expect(await before.page.closed).toBe(4200);

  const second = await aRelay(first.dataDir);
  const after = await second.page();
  await after.hello([{ stream: FLEET_STREAM, from: { epoch, number } }]);
  expect((await after.page.next('welcome')).streams[0]).toMatchObject({ epoch, mode: 'replay' });
  expect((await after.page.next('events')).number).toBe(number + 1);
  after.page.say(command);
  expect((await after.page.next('result')).outcome.status).toBe('duplicate');
  expect(after.page.frames.filter((frame) => frame.type === 'reset')).toEqual([]);
});

test('[T37] a hundred quick reconnects are all resumed', async () => {
  const { page: open, post } = await aRelay();
  await post('/v1/devices', device('linux-1'));
  const first = await open();
  await first.hello([{ stream: FLEET_STREAM, from: null }]);
  const { epoch, number } = await first.page.next('snapshot');
  first.page.socket.terminate();
  for (let round = 0; round < 100; round += 1) {
    const next = await open();
    await next.hello([{ stream: FLEET_STREAM, from: { epoch, number } }]);
    expect((await next.page.next('welcome')).streams[0]?.mode).toBe('live');
    next.page.socket.terminate();
  }
});

test('many quick writes through HTTP and a socket come to one page in order and without a hole', async () => {
  const { page: open, post } = await aRelay();
  const { page, hello } = await open();
  await hello([{ stream: FLEET_STREAM, from: null }]);
  const start = await page.next('snapshot');
  await Promise.all(Array.from({ length: 40 }, (_, index) => post('/v1/devices', device(`d${index}`))));
  const frames = () => page.frames.flatMap((frame) => (frame.type === 'events' ? [frame] : []));
  await eventually(() => frames().reduce((count, frame) => count + frame.events.length, 0)).toBe(40);
  let next = start.number + 1;
  for (const frame of frames()) {
    expect(frame.number).toBe(next);
    next += frame.events.length;
  }
});
