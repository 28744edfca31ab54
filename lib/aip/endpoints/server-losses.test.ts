import { describe, expect, test } from 'vitest';
import {
  aBusyAgent,
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

describe('when a requester is lost', () => {
  test.each([1000, 1001, 1006])(
    '[AIP-100] by code %i, its sessions end at once, nobody gets a TASK_END, and other sessions go on',
    async (code) => {
      const { agent, sessions } = aPatientAgent();
      const setup = await aPair({ agent });
      const staying = await joinConstellation(setup, 'con-2');
      await giveTask(setup.constellation, 'a');
      await giveTask(staying, 'b');
      staying.heard();
      if (code === 1006) setup.constellation.transport.terminate();
      else await setup.constellation.transport.close(code, '');
      await settle();

      expect(sessions.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true, false]);
      const late = await sessions[0]?.execute([{ toolName: 't', parameters: {}, toolType: 'action' }]);
      expect(late).toMatchObject([{ status: 'failure' }]);
      expect(setup.device.heard()).toEqual([]);
      expect(staying.heard()).toEqual([]);
    },
  );

  test('[AIP-100] its session ids are free for others', async () => {
    const setup = await aPair();
    await giveTask(setup.constellation, 's');
    setup.constellation.transport.terminate();
    await settle();
    const next = await joinConstellation(setup, 'con-1');
    next.heard();
    await giveTask(next, 's', { request: 'no-rounds' });

    expect(typesOf(next.heard())).toEqual(['heartbeat', 'task_end']);
  });

  test('late results of its device change nothing', async () => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 's');
    const command = device.last;
    device.heard();
    constellation.transport.terminate();
    await settle();
    await device.say(answerTo(command, [{ status: 'success' }]));
    await settle();

    expect(device.heard()).toEqual([]);
    expect(device.transport.state).toBe('connected');
  });
});

describe('when a device is lost', () => {
  test('[AIP-101] every waiting requester is told, and the sessions that it gave itself end', async () => {
    const { agent, sessions } = aPatientAgent();
    const setup = await aPair({ agent });
    const other = await joinConstellation(setup, 'con-2');
    await giveTask(setup.constellation, 'a');
    await giveTask(other, 'b');
    await setup.device.say({ type: 'task', status: 'continue', request: 'x', session_id: 'own' });
    await settle();
    setup.device.transport.terminate();
    await settle();

    const error = 'Task was cancelled because target device disconnected';
    expect(setup.constellation.last).toMatchObject({ type: 'task_end', status: 'failed', session_id: 'a', error });
    expect(other.last).toMatchObject({ type: 'task_end', status: 'failed', session_id: 'b', error });
    expect(sessions.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true, true, true]);
    expect(setup.server.onlineClients()).toEqual(['con-1', 'con-2']);
  });

  test('[AIP-101] the result is what the rounds so far came to', async () => {
    const { device, constellation } = await aPair({ agent: aBusyAgent() });
    await giveTask(constellation, 's');
    for (const result of ['one', 'two']) {
      await device.say(answerTo(device.last, [{ status: 'success', result }]));
      await settle();
    }
    device.transport.terminate();
    await settle();

    expect(constellation.last?.result).toEqual([
      { request: 'round 0', result: 'one' },
      { request: 'round 1', result: 'two' },
    ]);
  });

  test('tasks on other devices go on', async () => {
    const setup = await aPair();
    const other = await joinDevice(setup, 'dev-2');
    await giveTask(setup.constellation, 'b', { target_id: 'dev-2' });
    setup.device.transport.terminate();
    await settle();
    await other.say(answerTo(other.last, [{ status: 'success' }]));
    await settle();

    expect(setup.constellation.last).toMatchObject({ type: 'task_end', status: 'completed', session_id: 'b' });
  });
});

describe('cancelDeviceTasks', () => {
  test('ends all tasks of a device, of every owner, for the reason; others go on', async () => {
    const { agent, sessions } = aPatientAgent();
    const setup = await aPair({ agent }, BOTH);
    const stock = await joinConstellation(setup, 'con-2');
    await joinDevice(setup, 'dev-2');
    await giveTask(setup.constellation, 'a');
    await giveTask(stock, 'b');
    await giveTask(stock, 'other', { target_id: 'dev-2' });
    setup.constellation.heard();
    stock.heard();

    expect(await setup.server.cancelDeviceTasks('dev-1', 'maintenance begins')).toBe(2);
    await settle();

    const end = { type: 'task_end', status: 'failed', error: 'maintenance begins', result: [] };
    expect(setup.constellation.heard()).toMatchObject([{ ...end, session_id: 'a' }]);
    expect(stock.heard()).toMatchObject([{ ...end, session_id: 'b' }]);
    expect(
      setup.device
        .heard()
        .map(({ session_id }) => session_id)
        .sort(),
    ).toEqual(['a', 'b']);
    expect(sessions.map(({ cancellation }) => cancellation.isCancelled)).toEqual([true, true, false]);
  });

  test('of a device without tasks, or of nobody, ends nothing; a second time neither', async () => {
    const { constellation, server } = await aPair();
    expect(await server.cancelDeviceTasks('dev-1', 'x')).toBe(0);
    expect(await server.cancelDeviceTasks('nobody', 'x')).toBe(0);
    await giveTask(constellation, 's');
    expect(await Promise.all([server.cancelDeviceTasks('dev-1', 'x'), server.cancelDeviceTasks('dev-1', 'y')])).toEqual(
      [1, 0],
    );
    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
  });
});

describe('a session ends once', () => {
  const RACERS = ['results', 'cancel', 'device end', 'operator', 'device lost', 'deadline'] as const;
  const orders = RACERS.flatMap((first) => RACERS.filter((other) => other !== first).map((second) => [first, second]));

  test.each(orders)('when %s and %s come together', async (first, second) => {
    const setup = await aPair({}, BOTH);
    await giveTask(setup.constellation, 's', { metadata: { timeout_seconds: 10 } });
    const command = setup.device.last;
    setup.constellation.heard();
    setup.device.heard();
    await setup.clock.advance(9_999);
    const run: Record<(typeof RACERS)[number], () => unknown> = {
      results: () => setup.device.say(answerTo(command, [{ status: 'success' }])),
      cancel: () => setup.constellation.say({ ...CANCEL, session_id: 's' }),
      'device end': () => setup.device.say({ type: 'task_end', status: 'completed', session_id: 's' }),
      operator: () => setup.server.cancelDeviceTasks('dev-1', 'maintenance'),
      'device lost': () => setup.device.transport.close(1000, ''),
      deadline: () => setup.clock.advance(2_001),
    };
    const racing = [first, second].map((racer) => Promise.resolve(run[racer as keyof typeof run]()).catch(() => {}));
    await Promise.all(racing);
    await setup.clock.advance(60_000);

    expect(typesOf(setup.constellation.heard())).toEqual(['task_end']);
    expect(typesOf(setup.device.heard()).filter((type) => type === 'task_end').length).toBeLessThanOrEqual(1);
    expect(await setup.server.cancelDeviceTasks('dev-1', 'x')).toBe(0);
    const again = await joinConstellation(setup, 'con-2');
    if (setup.device.transport.state !== 'connected') await joinDevice(setup);
    again.heard();
    await giveTask(setup.constellation, 's', { request: 'no-rounds' });
    expect(typesOf(setup.constellation.heard())).toEqual(['heartbeat', 'task_end']);
  });
});

test('a server that stops says to requesters and devices that their tasks have ended, then closes', async () => {
  const setup = await aPair({}, BOTH);
  const stranger = setup.open();
  await giveTask(setup.constellation, 's');
  setup.constellation.heard();
  setup.device.heard();
  await setup.server.close();
  await settle();

  expect(setup.constellation.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
  expect(typesOf(setup.device.heard())).toEqual(['task_end']);
  for (const wire of [setup.device, setup.constellation, stranger]) expect(wire.closed?.code).toBe(1001);
  const late = setup.open();
  await settle();
  expect(late.closed?.code).toBe(1013);
});
