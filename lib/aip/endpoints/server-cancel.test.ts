import { describe, expect, test } from 'vitest';
import {
  aBusyAgent,
  announcing,
  answerTo,
  aPair,
  aPatientAgent,
  CANCEL,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';

const BOTH = { device: DEVICE_EXTENSIONS, constellation: CONSTELLATION_EXTENSIONS };
const CANCELLED = 'The task was cancelled by its requester';

describe('cancelling', () => {
  test('ends the task on both sides, once, and says how far it had got', async () => {
    const { device, constellation } = await aPair({ agent: aBusyAgent() }, BOTH);
    await giveTask(constellation, 's');
    await device.say(answerTo(device.last, [{ status: 'success', result: 'out' }]));
    await settle();
    constellation.heard();
    device.heard();

    await constellation.say({ ...CANCEL, session_id: 's' });
    await settle();

    const rounds = [{ request: 'round 0', result: 'out' }];
    expect(constellation.heard()).toMatchObject([
      {
        type: 'task_end',
        status: 'failed',
        session_id: 's',
        error: CANCELLED,
        result: { failure: CANCELLED, error_type: 'cancelled', rounds },
      },
    ]);
    expect(device.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
  });

  test('tells the agent, whose later outcome counts for nothing', async () => {
    const { agent, sessions, end } = aPatientAgent();
    const { constellation } = await aPair({ agent }, BOTH);
    await giveTask(constellation, 's');
    await constellation.say({ ...CANCEL, session_id: 's' });
    await settle();
    constellation.heard();
    end();
    await settle();

    expect(sessions[0]?.cancellation.isCancelled).toBe(true);
    expect(constellation.heard()).toEqual([]);
  });

  test('leaves the id free and every other task alone', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 'a');
    await giveTask(constellation, 'b');
    const commandB = device.last;
    await constellation.say({ ...CANCEL, session_id: 'a' });
    await settle();
    constellation.heard();

    await giveTask(constellation, 'a', { request: 'no-rounds' });
    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
    await device.say(answerTo(commandB, [{ status: 'success' }]));
    await settle();
    expect(constellation.heard()).toMatchObject([{ type: 'task_end', status: 'completed', session_id: 'b' }]);
  });

  test('a second time, too late, or for a session that never was, says nothing', async () => {
    const { constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's');
    for (const session_id of ['s', 's', 'never']) await constellation.say({ ...CANCEL, session_id });
    await settle();

    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
  });

  test('crossing the end of the task on the way, changes nothing', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's');
    const saying = device.say(answerTo(device.last, [{ status: 'success' }]));
    await constellation.say({ ...CANCEL, session_id: 's' });
    await saying;
    await settle();

    expect(constellation.heard().filter(({ type }) => type === 'task_end')).toHaveLength(1);
    expect(device.heard().filter(({ type }) => type === 'task_end')).toHaveLength(1);
  });

  test("of another constellation's task does nothing and says nothing", async () => {
    const setup = await aPair({}, BOTH);
    const stranger = await joinConstellation(setup, 'con-2', CONSTELLATION_EXTENSIONS);
    stranger.heard();
    await giveTask(setup.constellation, 's');
    setup.constellation.heard();

    await stranger.say({ ...CANCEL, session_id: 's' });
    await settle();

    expect(stranger.heard()).toEqual([]);
    expect(setup.constellation.heard()).toEqual([]);
    expect(setup.device.last).toMatchObject({ type: 'command' });
  });

  test('with status completed is no cancelling', async () => {
    const { constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's');
    constellation.heard();
    await constellation.say({ ...CANCEL, status: 'completed', session_id: 's' });
    await settle();

    expect(constellation.heard()).toEqual([]);
  });

  test('ends a task on a stock device with the TASK_END that it knows', async () => {
    const { device, constellation } = await aPair({}, { constellation: CONSTELLATION_EXTENSIONS });
    await giveTask(constellation, 's');
    device.heard();
    await constellation.say({ ...CANCEL, session_id: 's' });
    await settle();

    expect(device.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
  });

  test('[AIP-99] from a peer that did not agree is an ERROR, and the task goes on', async () => {
    const { device, constellation } = await aPair({}, { device: DEVICE_EXTENSIONS });
    await giveTask(constellation, 's');
    constellation.heard();
    await constellation.say({ ...CANCEL, session_id: 's' });
    await settle();
    expect(constellation.heard()).toMatchObject([{ type: 'error', status: 'error' }]);

    await device.say(answerTo(device.last, [{ status: 'success' }]));
    await settle();
    expect(constellation.heard()).toMatchObject([{ type: 'task_end', status: 'completed' }]);
  });
});

describe('a lost requester', () => {
  test('[AIP-100] has its tasks stopped on the devices that agreed to be told, and on no other', async () => {
    const setup = await aPair({}, BOTH);
    const stock = await joinDevice(setup, 'dev-2');
    await giveTask(setup.constellation, 'a');
    await giveTask(setup.constellation, 'b', { target_id: 'dev-2' });
    setup.device.heard();
    stock.heard();

    setup.constellation.transport.terminate();
    await settle();

    expect(setup.device.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 'a' }]);
    expect(stock.heard()).toEqual([]);
  });
});

describe('an end that a device tells', () => {
  const END = { type: 'task_end', session_id: 's', metadata: { result: [{ request: 'x', result: 1 }] } };

  test.each([
    ['completed', undefined],
    ['failed', 'the disk is full'],
  ])('with status %s is the end of its session', async (status, error) => {
    const { device, constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's');
    constellation.heard();
    device.heard();
    await device.say({ ...END, status, ...(error !== undefined && { error }) });
    await settle();

    const [end, ...more] = constellation.heard();
    expect(end).toMatchObject({ type: 'task_end', status, session_id: 's', result: [{ request: 'x', result: 1 }] });
    expect(end?.error).toBe(error);
    expect(more).toEqual([]);
    expect(typesOf(device.heard())).toEqual(['task_end']);
  });

  test('without a result has that of the rounds so far', async () => {
    const { device, constellation } = await aPair({ agent: aBusyAgent() }, BOTH);
    await giveTask(constellation, 's');
    await device.say(answerTo(device.last, [{ status: 'success', result: 1 }]));
    await settle();
    await device.say({ type: 'task_end', status: 'failed', session_id: 's' });
    await settle();

    expect(constellation.last).toMatchObject({
      type: 'task_end',
      status: 'failed',
      result: [{ request: 'round 0', result: 1 }],
    });
    expect(constellation.last?.error).toEqual(expect.any(String));
  });

  test('[AIP-99] that it does not execute, or has ended already, is an ERROR', async () => {
    const setup = await aPair({}, BOTH);
    const other = await joinDevice(setup, 'dev-2', DEVICE_EXTENSIONS);
    await giveTask(setup.constellation, 's');
    other.heard();
    await other.say({ ...END, status: 'completed' });
    await other.say({ ...END, status: 'completed', session_id: 'never' });
    await settle();

    expect(typesOf(other.heard())).toEqual(['error', 'error']);
    expect(typesOf(setup.constellation.heard())).toEqual(['heartbeat']);
  });

  test('[AIP-99] that did not agree to it is an ERROR, as is any word but completed and failed', async () => {
    const stock = await aPair({}, { device: announcing('cancel', 'log') });
    await giveTask(stock.constellation, 's');
    stock.device.heard();
    await stock.device.say({ ...END, status: 'completed' });
    await settle();
    expect(typesOf(stock.device.heard())).toEqual(['error']);

    const { device, constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's');
    device.heard();
    await device.say({ ...END, status: 'continue' });
    await settle();
    expect(typesOf(device.heard())).toEqual(['error']);
    expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
  });

  test('for a task of its own is one TASK_END', async () => {
    const { device } = await aPair({}, BOTH);
    await device.say({ type: 'task', status: 'continue', request: 'one-round', session_id: 's' });
    await settle();
    device.heard();
    await device.say({ ...END, status: 'completed' });
    await settle();

    expect(device.heard()).toMatchObject([{ type: 'task_end', status: 'completed', session_id: 's' }]);
  });
});
