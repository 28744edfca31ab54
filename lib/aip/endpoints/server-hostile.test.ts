import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  aBusyAgent,
  answerTo,
  aServer,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
  type ServerUnderTest,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import { hostileClientFrames } from '@/lib/aip/testing/hostile-client-frames';
import { usedHeapBytes } from '@/lib/aip/testing/used-heap';
import type { Wire } from '@/lib/aip/testing/wire';
import type { FrameData } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';

/** Five states: a hundred thousand frames for the role. A slow machine takes its time over them. */
const FRAMES_PER_STATE = 20_000;
vi.setConfig({ testTimeout: 120_000 });

const unhandled: unknown[] = [];
const note = (cause: unknown) => void unhandled.push(cause);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

function aWatchedServer() {
  const faults: string[] = [];
  const logger = { ...silentLogger, error: (what: string) => void faults.push(what) };
  return { ...aServer({ agent: aBusyAgent(3), logger }), faults };
}

type Role = {
  readonly join: (setup: ServerUnderTest) => Promise<Wire>;
  /** What a peer that behaves does meanwhile, so that there are sessions to disturb. */
  readonly meanwhile: (peers: { readonly hostile: Wire; readonly good: Wire }, index: number) => Promise<void>;
  readonly joinGood: (setup: ServerUnderTest) => Promise<Wire>;
};

async function answerCommands(wire: Wire, frames: readonly JsonObject[]) {
  for (const frame of frames) {
    if (frame.type !== 'command' || wire.transport.state !== 'connected') continue;
    await wire.say(answerTo(frame, [{ status: 'success', result: 'out' }]));
  }
}

const asDevice = (metadata: JsonObject): Role => ({
  join: (setup) => joinDevice(setup, 'dev-1', metadata),
  joinGood: (setup) => joinConstellation(setup, 'con-1', CONSTELLATION_EXTENSIONS),
  async meanwhile({ good }, index) {
    await giveTask(good, `s-${index % 4}`, { metadata: { timeout_seconds: 5 } });
  },
});

const asConstellation = (metadata: JsonObject): Role => ({
  join: (setup) => joinConstellation(setup, 'con-1', metadata),
  joinGood: (setup) => joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS),
  async meanwhile({ good }) {
    await answerCommands(good, good.heard());
  },
});

/** Feeds the frames to a server; a connection that the server has ended is followed by the next one. */
async function feed(setup: ServerUnderTest, role: Role, frames: readonly FrameData[]) {
  let good = await role.joinGood(setup);
  let hostile = await role.join(setup);
  const heard: JsonObject[] = [];
  for (const [index, frame] of frames.entries()) {
    if (good.transport.state !== 'connected') good = await role.joinGood(setup);
    if (hostile.transport.state !== 'connected') hostile = await role.join(setup);
    if (hostile.transport.state === 'connected') await hostile.transport.send(frame);
    if (index % 40 !== 0) continue;
    await setup.clock.advance(500);
    heard.push(...hostile.heard());
    await role.meanwhile({ hostile, good }, index / 40);
  }
  await setup.clock.advance(30_000);
  heard.push(...hostile.heard());
  return { good, hostile, heard };
}

/** After whatever has happened, a device works as on the first day. */
async function expectServing(setup: ServerUnderTest) {
  const device = await joinDevice(setup, 'fresh');
  expect(device.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
  await device.say({ type: 'task', status: 'continue', request: 'x', session_id: 'fresh' });
  for (let round = 0; round < 4; round += 1) {
    await settle();
    await answerCommands(device, device.heard());
  }
  expect(device.last).toMatchObject({ type: 'task_end', status: 'completed', session_id: 'fresh' });
  device.transport.terminate();
}

async function expectNothingLeft(setup: ServerUnderTest, wires: readonly Wire[]) {
  for (const { transport } of wires) transport.terminate();
  await setup.clock.advance(60_000);
  expect(setup.server.onlineClients()).toEqual([]);
  for (const id of ['dev-1', 'con-1']) expect(await setup.server.cancelDeviceTasks(id, 'test')).toBe(0);
}

const STATES: readonly (readonly [string, Role])[] = [
  ['a stock device', asDevice({})],
  ['a device with all extensions', asDevice(DEVICE_EXTENSIONS)],
  ['a stock constellation', asConstellation({})],
  ['a constellation with all extensions', asConstellation(CONSTELLATION_EXTENSIONS)],
];

describe('registered as', () => {
  test.each(STATES)(
    '[AIP-94][AIP-95] %s, no frame harms the server or is refused without a reason',
    async (name, role) => {
      const setup = aWatchedServer();
      const { good, hostile, heard } = await feed(setup, role, hostileClientFrames(name, FRAMES_PER_STATE));

      const errors = heard.filter(({ type }) => type === 'error');
      expect(errors.length).toBeGreaterThan(1_000);
      for (const { error } of errors) expect(error).toEqual(expect.stringMatching(/./));
      expect(heard.some(({ type }) => type === 'heartbeat')).toBe(true);
      await expectServing(setup);
      await expectNothingLeft(setup, [good, hostile]);
      expect([unhandled, setup.faults]).toEqual([[], []]);
    },
  );

  test.each(STATES.filter(([name]) => name.includes('stock')))(
    '%s, no frame makes the server send one of an extension',
    async (name, role) => {
      const setup = aWatchedServer();
      const { heard } = await feed(setup, role, hostileClientFrames(`${name} again`, 1_000));

      const kinds = new Set(heard.map(({ type, status }) => `${type}/${status}`));
      const stock = ['heartbeat/ok', 'error/error', 'command/continue', 'task_end/completed', 'task_end/failed'];
      for (const kind of kinds) expect([...stock, 'device_info_response/ok']).toContain(kind);
      for (const frame of heard) {
        expect(frame).not.toHaveProperty('messages');
        if (frame.type === 'heartbeat' || frame.type === 'command') expect(frame).not.toHaveProperty('result');
      }
    },
  );
});

test('[AIP-36] not registered yet, no first frame harms the server, and only a REGISTER registers', async () => {
  const setup = aWatchedServer();
  const frames = hostileClientFrames('first', FRAMES_PER_STATE);
  for (const frame of frames) {
    const wire = setup.open();
    await wire.transport.send(frame);
    await new Promise((resolve) => setImmediate(resolve));
    const isNamed = typeof frame === 'string' && frame.includes('register');
    if (!isNamed) expect(wire.heard()).toEqual([]);
    wire.transport.terminate();
  }
  await settle();

  await expectServing(setup);
  await expectNothingLeft(setup, []);
  expect([unhandled, setup.faults]).toEqual([[], []]);
});

test('memory stays flat however many frames come', async () => {
  const setup = aWatchedServer();
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const role of [asDevice(DEVICE_EXTENSIONS), asConstellation(CONSTELLATION_EXTENSIONS)]) {
      const { good, hostile } = await feed(setup, role, hostileClientFrames('memory', 1_000));
      await expectNothingLeft(setup, [good, hostile]);
    }
    rounds.push(usedHeapBytes());
  }

  const [, second = 0] = rounds;
  expect((rounds.at(-1) ?? 0) - second).toBeLessThan(4 * 1_048_576);
});
