import { describe, expect, test } from 'vitest';
import { aDevice, aRegisteredDevice, CONFIRMED } from '@/lib/aip/testing/a-device';
import { createFailingTransport } from '@/lib/aip/testing/failing-transport';
import { settle } from '@/lib/aip/testing/fake-clock';
import { ConnectError } from '@/lib/aip/transport/transport';

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
    ['an error', { type: 'error', status: 'error', error: 'client_id is already registered' }, 'refused'],
    ['a status that is not ok', { type: 'heartbeat', status: 'continue' }, 'refused'],
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
