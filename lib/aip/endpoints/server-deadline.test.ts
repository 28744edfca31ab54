import { expect, test } from 'vitest';
import {
  aBusyAgent,
  answerTo,
  aPair,
  aPatientAgent,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonValue } from '@/lib/std/json';

const BOTH = { device: DEVICE_EXTENSIONS, constellation: CONSTELLATION_EXTENSIONS };
const TEN_SECONDS = { metadata: { timeout_seconds: 10 } };
const TIMED_OUT = 'The task timed out after 10 s';

test('[AIP-91] each COMMAND says how much of the task time is left', async () => {
  const { clock, device, constellation } = await aPair({ agent: aBusyAgent() }, BOTH);
  await giveTask(constellation, 's', TEN_SECONDS);
  expect(device.last).toMatchObject({ type: 'command', result: { timeout_seconds: 10 } });
  await clock.advance(4_000);
  await device.say(answerTo(device.last, [{ status: 'success' }]));
  await settle();

  expect(device.last).toMatchObject({ type: 'command', result: { timeout_seconds: 6 } });
});

test('a device that answers in its grace time is heard, and the task has timed out all the same', async () => {
  const { clock, device, constellation } = await aPair({ agent: aBusyAgent(2) }, BOTH);
  await giveTask(constellation, 's', TEN_SECONDS);
  await device.say(answerTo(device.last, [{ status: 'success', result: 'first' }]));
  await clock.advance(10_500);
  expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
  const failure = { status: 'failure', error: 'timed out after 10 s' };
  const rounds = [{ request: 'round 0', result: 'first' }];
  await device.say({ type: 'task_end', status: 'failed', session_id: 's', error: failure.error });
  await settle();

  expect(constellation.heard()).toMatchObject([
    {
      type: 'task_end',
      status: 'failed',
      error: TIMED_OUT,
      result: { failure: TIMED_OUT, error_type: 'timeout', rounds },
    },
  ]);
});

test('a task that is completed in the grace time is completed', async () => {
  const { clock, device, constellation } = await aPair({}, BOTH);
  await giveTask(constellation, 's', TEN_SECONDS);
  await clock.advance(11_000);
  await device.say(answerTo(device.last, [{ status: 'success' }]));
  await settle();

  expect(constellation.last).toMatchObject({ type: 'task_end', status: 'completed' });
});

test('after the grace time the server ends the task, once, and tells the device', async () => {
  const { agent, sessions, end } = aPatientAgent();
  const { clock, device, constellation } = await aPair({ agent }, BOTH);
  await giveTask(constellation, 's', TEN_SECONDS);
  constellation.heard();
  expect(sessions[0]?.deadlineAtMs).toBe(clock.now() + 10_000);
  await clock.advance(11_999);
  expect(constellation.heard()).toEqual([]);
  await clock.advance(1);
  end();
  await clock.advance(10_000);

  expect(constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', error: TIMED_OUT }]);
  expect(device.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
  expect(sessions[0]?.cancellation.isCancelled).toBe(true);
});

test('a stock device gets no grace and no extra member: its task just ends', async () => {
  const { clock, device, constellation } = await aPair({}, { constellation: CONSTELLATION_EXTENSIONS });
  await giveTask(constellation, 's', TEN_SECONDS);
  expect(device.last).not.toHaveProperty('result');
  await clock.advance(10_000);

  expect(constellation.last).toMatchObject({ type: 'task_end', status: 'failed', error: TIMED_OUT });
});

test('no command begins when the time is over', async () => {
  const { agent, sessions } = aPatientAgent();
  const { clock, device, constellation } = await aPair({ agent }, BOTH);
  await giveTask(constellation, 's', TEN_SECONDS);
  await clock.advance(10_000);
  const results = await sessions[0]?.execute([{ toolName: 't', parameters: {}, toolType: 'action' }]);

  expect(results).toMatchObject([{ status: 'failure' }]);
  expect(device.heard()).toEqual([]);
});

test('a stock constellation sets no deadline, whatever it sends', async () => {
  const { clock, device, constellation } = await aPair({}, { device: DEVICE_EXTENSIONS });
  await giveTask(constellation, 's', TEN_SECONDS);
  expect(device.last).not.toHaveProperty('result');
  await clock.advance(60_000);

  expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
});

test.each<[JsonValue]>([[0], [-1], ['10'], [null], [{}], [true]])(
  'a time limit of %j is none',
  async (timeout_seconds) => {
    const { clock, device, constellation } = await aPair({}, BOTH);
    await giveTask(constellation, 's', { metadata: { timeout_seconds } });
    expect(device.last).not.toHaveProperty('result');
    await clock.advance(60_000);

    expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
  },
);

test('a time limit beyond all timers is as good as none', async () => {
  const { clock, device, constellation } = await aPair({}, BOTH);
  await giveTask(constellation, 's', { metadata: { timeout_seconds: 1e300 } });
  expect(device.last).toMatchObject({ type: 'command' });
  await clock.advance(3_600_000);

  expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
});
