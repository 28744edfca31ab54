import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aDevice, aRegisteredDevice, CONFIRMED, command } from '@/lib/aip/testing/a-device';
import { createFailingTransport } from '@/lib/aip/testing/failing-transport';
import { settle } from '@/lib/aip/testing/fake-clock';
import { createMemoryPort } from '@/lib/aip/transport/memory-transport';
import { ConnectError } from '@/lib/aip/transport/transport';

/** A connection to a server that confirms whatever comes. */
const aConfirmingServer = createMemoryPort((far) => {
  setImmediate(() => void far.send(JSON.stringify(CONFIRMED)));
});

describe('registration', () => {
  test('[AIP-33] the first frame is a REGISTER that says what the device is', async () => {
    const device = aDevice();
    await settle();

    expect(device.server().heard()).toMatchObject([
      {
        type: 'register',
        status: 'ok',
        client_type: 'device',
        client_id: 'dev-1',
        metadata: {
          platform: 'linux',
          registration_time: expect.any(String),
          system_info: { platform: 'linux', free_gb: 1 },
          extensions: ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'],
        },
      },
    ]);
  });

  test('a device that cannot describe itself registers all the same', async () => {
    const failing = aDevice({ systemInfo: () => Promise.reject(new Error('no /proc')) });
    const hanging = aDevice({ systemInfo: () => new Promise(() => {}) });
    await settle();
    await hanging.clock.advance(8_000);

    for (const device of [failing, hanging]) {
      const [register] = device.server().heard();
      expect(register?.type).toBe('register');
      expect(register?.metadata).not.toHaveProperty('system_info');
    }
  });

  test.each([
    ['an error', { type: 'error', status: 'error', error: 'client_id is already registered' }, 'registration-refused'],
    ['a status that is not ok', { type: 'heartbeat', status: 'continue' }, 'registration-refused'],
  ])('[AIP-44][AIP-46] %s is a refusal, after which the device tries again', async (_name, reply, code) => {
    const device = aDevice();
    await settle();
    await device.server().say(reply);
    await settle();

    expect(device.states.at(-1)).toMatchObject({ phase: 'waiting', code });
    await device.clock.advance(500);
    expect(device.servers).toHaveLength(2);
  });

  test('a server that does not answer is given up after the deadline', async () => {
    const device = aDevice();
    await device.clock.advance(30_000);

    expect(device.states.at(-1)).toMatchObject({ phase: 'waiting', code: 'register-timeout' });
    expect(device.server(0).transport.state).toBe('disconnected');
  });
});

describe('coming back', () => {
  test('[AIP-106] waits grow with full jitter up to 60 s, never below 500 ms, and never end', async () => {
    const waits = async (fraction: number) => {
      const createTransport = () => createFailingTransport(new ConnectError('refused', 'nothing there'));
      const device = aDevice({ createTransport }, fraction);
      await device.clock.advance(3_600_000);
      await device.endpoint.stop();
      return device.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []));
    };

    expect((await waits(0.5)).slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(Math.min(...(await waits(0)))).toBe(500);
    expect(Math.max(...(await waits(0.999)))).toBeLessThanOrEqual(60_000);
    expect((await waits(0.5)).length).toBeGreaterThan(100);
  });

  test('[AIP-107] a confirmed registration, and nothing less, starts the waits anew', async () => {
    const device = aDevice();
    for (const waitMs of [500, 1_000, 2_000]) {
      await settle();
      await device.server().say({ type: 'error', status: 'error' });
      await device.clock.advance(waitMs);
    }
    await device.server().say(CONFIRMED);
    await settle();
    device.server().transport.terminate();
    await settle();

    const waits = device.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []));
    expect(waits).toEqual([500, 1_000, 2_000, 500]);
  });

  test('[AIP-27] a wrong token is named and tried again only once a minute', async () => {
    let attempts = 0;
    const createTransport = () => {
      attempts += 1;
      return createFailingTransport(new ConnectError('unauthorized', 'check the token'));
    };
    const device = aDevice({ createTransport });
    await device.clock.advance(179_000);

    expect(attempts).toBe(3);
    expect(device.states).toContainEqual({
      phase: 'waiting',
      retryInMs: 60_000,
      code: 'unauthorized',
      message: 'check the token',
    });
  });

  test('an address that is none is told at once, and never tried again', async () => {
    const cause = new ConnectError('invalid-url', 'Expected a ws:// URL');
    const device = aDevice({ createTransport: () => createFailingTransport(cause) });
    await device.clock.advance(600_000);

    expect(device.states.map(({ phase }) => phase)).toEqual(['connecting', 'given-up']);
    await expect(device.started).rejects.toThrow('Gave up: Expected a ws:// URL; correct the address');
  });

  test('a failure that nobody foresaw does not keep the device away', async () => {
    const createTransport = () => createFailingTransport(new TypeError('a fault of ours'));
    const device = aDevice({ createTransport });
    await device.clock.advance(10_000);

    expect(device.states.filter(({ phase }) => phase === 'connecting').length).toBeGreaterThan(1);
  });

  test('every new connection registers, and says what holds now', async () => {
    const device = await aRegisteredDevice();
    device.server().transport.terminate();
    await device.clock.advance(1_000);

    expect(device.server(1).heard()).toMatchObject([{ type: 'register', metadata: { system_info: { free_gb: 2 } } }]);
  });

  test('a device that is stopped says goodbye and stays away', async () => {
    const device = await aRegisteredDevice();
    await device.endpoint.stop();

    expect(device.server().closed).toMatchObject({ code: 1000, clean: true });
    expect(device.states.at(-1)).toEqual({ phase: 'stopped' });
    await device.clock.advance(600_000);
    expect(device.servers).toHaveLength(1);
  });

  test('a silent server is left after 75 s', async () => {
    const device = await aRegisteredDevice();
    await device.clock.advance(75_000);

    expect(device.server(0).transport.state).toBe('disconnected');
  });

  test('[AIP-57] it beats as a device at least every 30 s', async () => {
    const device = await aRegisteredDevice();
    await device.clock.advance(60_000);

    expect(
      device
        .server()
        .heard()
        .filter(({ type }) => type === 'heartbeat').length,
    ).toBeGreaterThanOrEqual(2);
  });
});

describe('start and stop', () => {
  test('start resolves when the device is registered, and is the same start until it ends', async () => {
    const device = aDevice();
    await settle();
    const again = device.endpoint.start();
    expect(device.endpoint.isConnected()).toBe(false);
    await device.server().say(CONFIRMED);
    await Promise.all([device.started, again]);

    expect(device.endpoint.isConnected()).toBe(true);
    expect(device.servers).toHaveLength(1);
  });

  test('start rejects when the tries are used up: the first one and three more, 2, 4 and 8 s apart at most', async () => {
    let attempts = 0;
    const createTransport = () => {
      attempts += 1;
      return createFailingTransport(new ConnectError('refused', 'nothing listens there'));
    };
    const device = aDevice({ createTransport, reconnection: { jitter: 0 } });
    await device.clock.advance(14_000);

    await expect(device.started).rejects.toMatchObject({
      name: 'DeviceStartError',
      code: 'given-up',
      message: expect.stringMatching(/4 tries: nothing listens there; /),
    });
    expect(attempts).toBe(4);
    expect(device.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []))).toEqual([
      2_000, 4_000, 8_000,
    ]);
    expect(device.states.at(-1)).toMatchObject({ phase: 'given-up', code: 'refused' });
    await device.endpoint.waitStopped();
  });

  test('a device that has given up can be started again', async () => {
    let isThere = false;
    const createTransport = () => {
      if (isThere) return aConfirmingServer();
      return createFailingTransport(new ConnectError('refused', 'nothing there'));
    };
    const device = aDevice({ createTransport, reconnection: { maxRetries: 0 } });
    await expect(device.started).rejects.toMatchObject({ code: 'given-up' });
    isThere = true;

    await device.endpoint.start();
    expect(device.endpoint.isConnected()).toBe(true);
    await device.endpoint.stop();
    await device.endpoint.start();
    expect(device.endpoint.isConnected()).toBe(true);
  });

  test('a lost connection is tried again with all tries, and given up after them', async () => {
    const device = await aRegisteredDevice({ reconnection: {} });
    for (let round = 0; round < 4; round += 1) {
      await device.server().transport.close(1000, 'clean');
      await device.clock.advance(8_000);
    }

    expect(device.servers).toHaveLength(4);
    expect(device.states.at(-1)).toMatchObject({ phase: 'given-up', code: 'closed' });
  });

  test('a listener that throws keeps the device from nothing', async () => {
    const device = await aRegisteredDevice({
      onState() {
        throw new Error('a fault of the user');
      },
    });

    expect(device.endpoint.isConnected()).toBe(true);
    await device.endpoint.stop();
  });

  test('start rejects when the device is stopped before it is registered', async () => {
    const device = aDevice();
    await settle();
    await device.endpoint.stop();

    await expect(device.started).rejects.toMatchObject({ code: 'stopped' });
    await device.endpoint.stop();
    await device.endpoint.waitStopped();
  });

  test('a stop while connecting, waiting or never started ends in time', async () => {
    const connecting = aDevice({
      createTransport: () => ({
        ...createFailingTransport(new Error('unused')),
        connect: (cancellation) =>
          new Promise((_resolve, reject) =>
            cancellation?.onCancelled(() => reject(new ConnectError('cancelled', 'no longer wanted'))),
          ),
      }),
    });
    const waiting = aDevice({ createTransport: () => createFailingTransport(new ConnectError('refused', 'no')) });
    await settle();
    for (const device of [connecting, waiting]) {
      await device.endpoint.stop();
      expect(device.states.at(-1)).toEqual({ phase: 'stopped' });
    }
  });

  test.each(['none'] as const)('the policy %s means that a lost connection stays lost', async (policy) => {
    const device = await aRegisteredDevice({ reconnection: { policy } });
    device.server().transport.terminate();
    await device.endpoint.waitStopped();

    expect(device.states.at(-1)).toMatchObject({ phase: 'given-up' });
  });
});

test('a server that takes nothing for two minutes is left', async () => {
  const device = await aRegisteredDevice({
    timing: { deadAfterMs: 600_000 },
    onProtocol(protocol) {
      const { transport } = protocol;
      protocol.transport = {
        ...transport,
        bufferedBytes: 1,
        state: 'connected',
        send: (frame) => (String(frame).includes('"register"') ? transport.send(frame) : new Promise(() => {})),
        terminate: () => transport.terminate(),
      };
    },
  });
  await device.clock.advance(25_000 + 120_000);

  expect(device.server(0).transport.state).toBe('disconnected');
});

describe('reconnectDevice', () => {
  test('drops the connection with a goodbye and connects at once', async () => {
    const device = await aRegisteredDevice();
    const isBack = device.endpoint.reconnectDevice();
    await settle();
    await device.server(1).say(CONFIRMED);

    expect(await isBack).toBe(true);
    expect(device.server(0).closed).toMatchObject({ code: 1000, clean: true });
    expect(device.endpoint.isConnected()).toBe(true);
  });

  test('does not wait for the next try, and tells when it did not succeed', async () => {
    const device = aDevice({ reconnection: { minBackoffMs: 60_000 } });
    await settle();
    device.server().transport.terminate();
    await settle();
    const isBack = device.endpoint.reconnectDevice();
    await settle();
    await device.server(1).say({ type: 'error', status: 'error', error: 'not now' });

    expect(await isBack).toBe(false);
    expect(device.states.at(-1)).toMatchObject({ phase: 'waiting', message: 'not now' });
  });

  test('begins anew when the device has given up, and says no while it stops', async () => {
    let isThere = false;
    const createTransport = () => {
      if (isThere) return aConfirmingServer();
      return createFailingTransport(new ConnectError('refused', 'nothing there'));
    };
    const device = aDevice({ createTransport, reconnection: { maxRetries: 0 } });
    await device.endpoint.waitStopped();
    expect(await device.endpoint.reconnectDevice()).toBe(false);
    isThere = true;
    expect(await device.endpoint.reconnectDevice()).toBe(true);

    const stopped = device.endpoint.stop();
    expect(await device.endpoint.reconnectDevice()).toBe(false);
    await stopped;
  });
});

test('[AIP-46] a refused registration is tried for at least 60 s although the plan has only three tries', async () => {
  const device = aDevice({ reconnection: {} }, 0);
  let elapsedMs = 0;
  while (device.states.at(-1)?.phase !== 'given-up') {
    await settle();
    if (device.server().transport.state === 'connected') {
      await device.server().say({ type: 'error', status: 'error', error: 'already registered' });
    }
    await device.clock.advance(500);
    elapsedMs += 500;
  }

  expect(elapsedMs).toBeGreaterThan(60_000);
  expect(elapsedMs).toBeLessThan(180_000);
  await expect(device.started).rejects.toMatchObject({ message: expect.stringContaining('already registered') });
});

test('[AIP-46] the patience with refusals begins anew after a registration', async () => {
  const device = aDevice({ reconnection: {} }, 0);
  const refuse = async () => {
    await device.server().say({ type: 'error', status: 'error', error: 'already registered' });
    await device.clock.advance(1_000);
  };
  await settle();
  await refuse();
  await device.server().say(CONFIRMED);
  await device.clock.advance(70_000);
  device.server().transport.terminate();
  await device.clock.advance(2_000);
  for (let round = 0; round < 4; round += 1) {
    await settle();
    await device.server().say({ type: 'error', status: 'error', error: 'already registered' });
    await device.clock.advance(16_000);
  }

  expect(device.states.filter(({ phase }) => phase === 'given-up')).toEqual([]);
});

test('[AIP-98] whatever a refusal says, it is treated the same', async () => {
  const waits = await Promise.all(
    ['duplicate registrations are not allowed', 'Invalid or missing token', ''].map(async (error) => {
      const device = aDevice();
      await settle();
      await device.server().say({ type: 'error', status: 'error', error });
      await settle();
      const state = device.states.at(-1);
      return state?.phase === 'waiting' ? [state.code, state.retryInMs] : [];
    }),
  );

  expect(new Set(waits.map(String)).size).toBe(1);
});

test('handlers, middlewares and message types of a user come behind the work of the device', async () => {
  const seen: string[] = [];
  const device = await aRegisteredDevice({
    middlewares: [
      {
        name: 'stamp',
        outgoing: (message) => ({ ...message, error: 'stamped' }),
      },
    ],
    onProtocol(protocol) {
      protocol.on('task_end', ({ session_id }) => void seen.push(`ended ${session_id}`));
      protocol.on('error', () => {
        throw new Error('a fault of the user');
      });
      protocol.onCustom(
        'greeting',
        z.looseObject({ from: z.string() }),
        ({ from }) => void seen.push(`greeting ${from}`),
      );
    },
  });
  await device.server().say({ type: 'error', status: 'error', error: 'x' });
  await device.server().say({ type: 'greeting', from: 'server' });
  await device.server().say({ type: 'task_end', status: 'completed', session_id: 's' });
  await settle();
  expect(seen).toEqual(['greeting server', 'ended s']);

  await device.clock.advance(25_000);
  expect(device.server().heard()).toMatchObject([{ type: 'heartbeat', error: 'stamped' }]);
});

test('[AIP-92] a handler of a user that never ends does not keep the device from its work', async () => {
  const device = await aRegisteredDevice({ onProtocol: ({ on }) => void on('command', () => new Promise(() => {})) });
  for (const id of ['r-1', 'r-2']) await device.server().say(command('s', id, ['a']));
  await settle();

  expect(
    device
      .server()
      .heard()
      .map(({ prev_response_id }) => prev_response_id),
  ).toEqual(['r-1', 'r-2']);
});
