import { describe, expect, test } from 'vitest';
import {
  aBusyAgent,
  announcing,
  answerTo,
  aPair,
  CANCEL,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
  type ServerUnderTest,
  TASK,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { Wire } from '@/lib/aip/testing/wire';
import { isJsonObject, type JsonObject } from '@/lib/std/json';

const BOTH = { device: DEVICE_EXTENSIONS, constellation: CONSTELLATION_EXTENSIONS };
const DEVICE_LOST = 'Task was cancelled because target device disconnected';

/** What the confirmation said. */
function welcomeOf(wire: Wire): JsonObject {
  const [confirmation] = wire.heard();
  const result = confirmation?.result;
  return result !== undefined && isJsonObject(result) ? result : {};
}

const comeBack = (setup: ServerUnderTest, token: unknown, id = 'dev-1') =>
  joinDevice(setup, id, { ...DEVICE_EXTENSIONS, resume: String(token) });

/** A constellation's task on a device that has one COMMAND unanswered, and the device's token. */
async function aRunningTask(options: Parameters<typeof aPair>[0] = {}) {
  const setup = await aPair({ agent: aBusyAgent(3), ...options });
  await setup.device.transport.close(1000, '');
  const device = await joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS);
  const token = welcomeOf(device).resume;
  const constellation = await joinConstellation(setup, 'con-2', CONSTELLATION_EXTENSIONS);
  await giveTask(constellation, 's');
  constellation.heard();
  return { ...setup, device, constellation, token, command: device.last };
}

describe('a device that was cut off and comes back in time', () => {
  test('[AIP-G6] goes on with its task: the unanswered COMMAND comes again under its old ids', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await setup.clock.advance(14_999);
    expect(setup.constellation.heard()).toEqual([]);
    const back = await comeBack(setup, setup.token);

    const [confirmation, again, ...more] = back.heard();
    expect(confirmation).toMatchObject({ type: 'heartbeat', status: 'ok', result: { resumed: true } });
    expect(again).toMatchObject({
      type: 'command',
      session_id: 's',
      response_id: setup.command?.response_id,
      actions: setup.command?.actions,
    });
    expect(more).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      await back.say(answerTo(back.last, [{ status: 'success', result: round }]));
      await settle();
    }
    expect(setup.constellation.heard()).toMatchObject([
      { type: 'task_end', status: 'completed', result: [{ result: 0 }, { result: 1 }, { result: 2 }] },
    ]);
    expect(back.heard().filter(({ type }) => type === 'task_end')).toHaveLength(1);
  });

  test('goes on with a task of its own, too', async () => {
    const setup = await aPair({}, BOTH);
    await setup.device.transport.close(1000, '');
    const device = await joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS);
    const { resume } = welcomeOf(device);
    await device.say({ type: 'task', status: 'continue', request: 'one-round', session_id: 'own' });
    await settle();
    device.transport.terminate();
    await settle();
    const back = await comeBack(setup, resume);
    await back.say(answerTo(back.last, [{ status: 'success' }]));
    await settle();

    expect(back.heard().filter(({ type }) => type === 'task_end')).toMatchObject([
      { session_id: 'own', status: 'completed' },
    ]);
  });

  test('has a fresh token for the next time; an old one is worth nothing', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    const back = await comeBack(setup, setup.token);
    const second = welcomeOf(back).resume;
    expect(second).toEqual(expect.stringMatching(/^[0-9a-f]{32}$/));
    expect(second).not.toBe(setup.token);
    await back.say({ type: 'heartbeat', status: 'ok' });
    await settle();
    back.transport.terminate();
    await settle();

    const stale = await comeBack(setup, setup.token);
    expect(welcomeOf(stale).resumed).toBe(false);
    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: DEVICE_LOST }]);
  });

  test('and was cut off before it read the confirmation may use its old token once more', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    (await comeBack(setup, setup.token)).transport.terminate();
    await settle();
    const back = await comeBack(setup, setup.token);

    expect(welcomeOf(back).resumed).toBe(true);
    expect(back.last).toMatchObject({ type: 'command', response_id: setup.command?.response_id });
  });

  test('and whose confirmation never left the server finds its work again', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    const wire = setup.open();
    const metadata = { platform: 'linux', ...DEVICE_EXTENSIONS, resume: String(setup.token) };
    const saying = wire.say({ type: 'register', status: 'ok', client_id: 'dev-1', metadata });
    wire.transport.terminate();
    await saying;
    await settle();
    const back = await comeBack(setup, setup.token);

    expect(back.heard()).toMatchObject([{ result: { resumed: true } }, { type: 'command', session_id: 's' }]);
  });

  test('has its id back though the server has not noticed that the old connection is dead', async () => {
    const setup = await aRunningTask();
    const back = await comeBack(setup, setup.token);

    expect(welcomeOf(back).resumed).toBe(true);
    expect(setup.device.transport.state).toBe('disconnected');
    await back.say(answerTo(back.last, [{ status: 'success', result: 0 }]));
    await settle();
    expect(back.last).toMatchObject({ type: 'command', session_id: 's' });
    expect(setup.server.onlineClients()).toContain('dev-1');
  });

  test('hears which of its tasks have ended meanwhile', async () => {
    const setup = await aRunningTask();
    await giveTask(setup.constellation, 'other');
    setup.constellation.heard();
    setup.device.transport.terminate();
    await settle();
    await setup.constellation.say({ ...CANCEL, session_id: 's' });
    await settle();
    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
    const back = await comeBack(setup, setup.token);

    expect(back.heard()).toMatchObject([
      { type: 'heartbeat' },
      { type: 'task_end', status: 'failed', session_id: 's' },
      { type: 'command', session_id: 'other' },
    ]);
  });

  test('hears that a task is over whose requester left meanwhile', async () => {
    const setup = await aRunningTask();
    await giveTask(setup.constellation, 'other');
    setup.device.transport.terminate();
    await settle();
    setup.constellation.transport.terminate();
    await settle();
    const back = await comeBack(setup, setup.token);

    expect(typesOf(back.heard())).toEqual(['heartbeat', 'task_end', 'task_end']);
  });

  test('answers a COMMAND that had not reached it before', async () => {
    const setup = await aRunningTask();
    await setup.device.say(answerTo(setup.command, [{ status: 'success', result: 0 }]));
    setup.device.transport.terminate();
    await settle();
    const back = await comeBack(setup, setup.token);

    expect(back.last).toMatchObject({ type: 'command', actions: [{ tool_name: 'tool_1' }] });
  });

  test('is told how much is left of the deadline, which went on', async () => {
    const setup = await aRunningTask();
    await giveTask(setup.constellation, 'timed', { metadata: { timeout_seconds: 20 } });
    setup.device.transport.terminate();
    await setup.clock.advance(5_000);
    const back = await comeBack(setup, setup.token);

    const timed = back.heard().find(({ session_id }) => session_id === 'timed');
    expect(timed?.result).toEqual({ timeout_seconds: 15 });
  });
});

describe('the work of a lost device', () => {
  test('[AIP-101] is given up after fifteen seconds, with the rounds so far', async () => {
    const setup = await aRunningTask();
    await setup.device.say(answerTo(setup.command, [{ status: 'success', result: 'first' }]));
    await settle();
    setup.device.transport.terminate();
    await setup.clock.advance(14_999);
    expect(setup.constellation.heard()).toEqual([]);
    await setup.clock.advance(1);

    expect(setup.constellation.heard()).toMatchObject([
      { type: 'task_end', status: 'failed', error: DEVICE_LOST, result: [{ request: 'round 0', result: 'first' }] },
    ]);
    const back = await comeBack(setup, setup.token);
    expect(back.heard()).toMatchObject([{ result: { resumed: false } }]);
  });

  test.each([1000, 1001])('is given up at once when it said goodbye with %i', async (code) => {
    const setup = await aRunningTask();
    await setup.device.transport.close(code, '');
    await settle();

    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: DEVICE_LOST }]);
  });

  test('is given up at once after a message that was too large', async () => {
    const setup = await aRunningTask();
    await setup.device.transport.close(1009, '');
    await settle();

    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: DEVICE_LOST }]);
  });

  test.each([
    ['a wrong token', { ...DEVICE_EXTENSIONS, resume: '0'.repeat(32) }],
    ['an empty token', { ...DEVICE_EXTENSIONS, resume: '' }],
    ['no token', DEVICE_EXTENSIONS],
    ['no extensions', {}],
  ])('[AIP-102] is given up when its id registers with %s, which succeeds at once', async (_name, metadata) => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    expect(setup.server.onlineClients()).not.toContain('dev-1');
    const other = await joinDevice(setup, 'dev-1', metadata);

    expect(other.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: DEVICE_LOST }]);
  });

  test('is not for another device that knows the token', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    const thief = await comeBack(setup, setup.token, 'dev-9');

    expect(welcomeOf(thief).resumed).toBe(false);
    expect(setup.constellation.heard()).toEqual([]);
  });

  test('takes its results from the connection that came back only', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    const other = await joinDevice(setup, 'dev-2', DEVICE_EXTENSIONS);
    await other.say(answerTo(setup.command, [{ status: 'success' }]));
    await settle();

    expect(setup.constellation.heard()).toEqual([]);
  });

  test('ends with the server', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    await setup.server.close();
    await settle();

    expect(typesOf(setup.constellation.heard())).toEqual(['task_end']);
  });
});

describe('for everybody else', () => {
  test('a device that is away is not connected', async () => {
    const setup = await aRunningTask();
    setup.device.transport.terminate();
    await settle();
    await setup.constellation.say({ ...TASK, session_id: 'new', request: 'one-round' });
    await settle();

    expect(setup.constellation.heard()).toMatchObject([{ type: 'error' }]);
    const late = await joinConstellation(setup, 'con-3');
    expect(late.heard()).toMatchObject([{ type: 'error' }]);
  });

  test('a taken id is taken, whatever token is shown', async () => {
    const setup = await aRunningTask();
    const thief = await comeBack(setup, '0'.repeat(32));

    expect(thief.heard()).toMatchObject([{ type: 'error' }]);
    expect(setup.device.transport.state).toBe('connected');
  });

  test('nothing is kept of a device that did not agree, and it gets no token', async () => {
    const setup = await aPair({}, { device: announcing('cancel', 'log') });
    const confirmation = (await joinDevice(setup, 'dev-2', announcing('cancel'))).heard()[0];
    expect(confirmation?.result).toEqual({ extensions: ['cancel'] });
    await giveTask(setup.constellation, 's');
    setup.constellation.heard();
    setup.device.transport.terminate();
    await settle();

    expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: DEVICE_LOST }]);
  });

  test('a stock device registers as ever, though it shows a token', async () => {
    const setup = await aRunningTask();
    const stock = await joinDevice(setup, 'dev-2', { resume: String(setup.token) });

    expect(Object.keys(stock.heard()[0] ?? {}).sort()).toEqual(['response_id', 'status', 'timestamp', 'type']);
  });
});

test('a session ends once, whichever of its ends come together while its device is away', async () => {
  const setup = await aRunningTask();
  await giveTask(setup.constellation, 'timed', { metadata: { timeout_seconds: 15 } });
  setup.constellation.heard();
  setup.device.transport.terminate();
  await setup.clock.advance(14_999);
  await Promise.all([
    setup.constellation.say({ ...CANCEL, session_id: 's' }),
    setup.constellation.say({ ...CANCEL, session_id: 'timed' }),
    setup.server.cancelDeviceTasks('dev-1', 'maintenance'),
    setup.clock.advance(5_000),
    comeBack(setup, 'wrong'),
  ]);
  await setup.clock.advance(60_000);

  const ended = setup.constellation.heard().map(({ type, session_id }) => `${type} ${session_id}`);
  expect(ended.sort()).toEqual(['task_end s', 'task_end timed']);
});
