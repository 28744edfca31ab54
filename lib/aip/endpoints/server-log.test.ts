import { describe, expect, test } from 'vitest';
import {
  answerTo,
  aPair,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { Wire } from '@/lib/aip/testing/wire';
import type { JsonObject, JsonValue } from '@/lib/std/json';

const BOTH = { device: DEVICE_EXTENSIONS, constellation: CONSTELLATION_EXTENSIONS };

async function print(device: Wire, lines: JsonValue, sessionId = 's') {
  await device.say({ type: 'heartbeat', status: 'continue', session_id: sessionId, metadata: { messages: lines } });
}

const linesOf = (frames: readonly JsonObject[]) =>
  frames.flatMap(({ type, status, messages }) => {
    const isLog = type === 'heartbeat' && status === 'continue' && Array.isArray(messages);
    return isLog ? (messages as readonly string[]) : [];
  });

async function aRunningTask(options: Parameters<typeof aPair>[1] = BOTH) {
  const setup = await aPair({}, options);
  await giveTask(setup.constellation, 's');
  const command = setup.device.last;
  setup.device.heard();
  setup.constellation.heard();
  return { ...setup, finish: () => setup.device.say(answerTo(command, [{ status: 'success' }])) };
}

describe('output of a running task', () => {
  test('is passed on at once as a heartbeat that goes on, and is not acknowledged to the device', async () => {
    const { device, constellation } = await aRunningTask();
    await print(device, ['one', 'two']);
    await settle();

    expect(constellation.heard()).toMatchObject([
      { type: 'heartbeat', status: 'continue', session_id: 's', messages: ['one', 'two'] },
    ]);
    expect(device.heard()).toEqual([]);
  });

  test('[AIP-G4] comes in order, behind the acknowledgement and before the TASK_END, however fast it was', async () => {
    const { clock, device, constellation, finish } = await aRunningTask();
    for (let index = 0; index < 300; index += 1) await print(device, [`line ${index}`]);
    await finish();
    await clock.advance(2_000);

    const heard = constellation.heard();
    expect(typesOf(heard).lastIndexOf('heartbeat')).toBeLessThan(typesOf(heard).indexOf('task_end'));
    expect(linesOf(heard)).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index}`));
  });

  test('stands at the end of TASK_END again, in its last 64 KiB', async () => {
    const { clock, device, constellation, finish } = await aRunningTask();
    for (let index = 0; index < 30; index += 1) {
      await print(device, [`${index}:${'x'.repeat(8_000)}`]);
      await clock.advance(100);
    }
    await finish();
    await clock.advance(1_000);

    const end = constellation.heard().find(({ type }) => type === 'task_end');
    const tail = end?.messages as readonly string[];
    expect(tail.at(-1)).toMatch(/^29:/);
    expect(tail).toHaveLength(8);
    expect(JSON.stringify(tail).length).toBeLessThanOrEqual(65_536);
    expect(device.last).not.toHaveProperty('messages');
  });

  test('leaves at 20 frames a second and 64 KiB a frame at most; what is left out is counted', async () => {
    const { clock, device, constellation } = await aRunningTask();
    for (let index = 0; index < 500; index += 1) await print(device, [`${index}:${'é'.repeat(4_000)}`]);
    await clock.advance(999);

    const frames = constellation.heard();
    expect(frames.length).toBeLessThanOrEqual(20);
    for (const { messages } of frames) {
      expect(Buffer.byteLength(JSON.stringify(messages), 'utf8')).toBeLessThanOrEqual(65_536);
    }
    const lines = linesOf(frames);
    expect(lines.filter((line) => /^\[\d+ lines left out\]$/.test(line)).length).toBeGreaterThan(0);
    const left = lines.reduce((sum, line) => sum + Number(/^\[(\d+) lines left out\]$/.exec(line)?.[1] ?? 0), 0);
    expect(left + lines.filter((line) => line.includes(':')).length).toBe(500);
  });

  test('of another session, or of one that has ended, goes nowhere', async () => {
    const { clock, device, constellation, finish } = await aRunningTask();
    await print(device, ['a guess'], 'other');
    await finish();
    await clock.advance(100);
    constellation.heard();
    await print(device, ['too late']);
    await clock.advance(100);

    expect(constellation.heard()).toEqual([]);
    expect(device.heard().filter(({ type }) => type !== 'task_end')).toEqual([]);
  });

  test('is believed of the device that runs the task, and of nobody else', async () => {
    const setup = await aRunningTask();
    const other = await joinConstellation(setup, 'con-2', CONSTELLATION_EXTENSIONS);
    other.heard();
    await other.say({
      type: 'heartbeat',
      status: 'continue',
      client_type: 'constellation',
      session_id: 's',
      metadata: { messages: ['forged'] },
    });
    await settle();

    expect(setup.constellation.heard()).toEqual([]);
    expect(other.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
  });

  test('of a wrong shape harms nothing', async () => {
    const { device, constellation } = await aRunningTask();
    await print(device, [1, null, 'good', { a: 1 }]);
    await print(device, 'no list');
    await settle();

    expect(linesOf(constellation.heard())).toEqual(['good']);
  });
});

describe('without the agreement of both', () => {
  test('a stock constellation gets no line, and TASK_END has no messages', async () => {
    const { clock, device, constellation, finish } = await aRunningTask({ device: DEVICE_EXTENSIONS });
    await print(device, ['one']);
    await finish();
    await clock.advance(1_000);

    expect(typesOf(constellation.heard())).toEqual(['task_end']);
    expect(constellation.last).not.toHaveProperty('messages');
  });

  test('[AIP-55] a heartbeat of a stock device is answered, whatever is in it, and nothing is passed on', async () => {
    const { device, constellation } = await aRunningTask({ constellation: CONSTELLATION_EXTENSIONS });
    await print(device, ['one']);
    await settle();

    expect(device.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
    expect(device.last).not.toHaveProperty('session_id');
    expect(constellation.heard()).toEqual([]);
  });
});
