import { describe, expect, test } from 'vitest';
import { aDevice, agreedTo, aRegisteredDevice } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { DeviceClientOptions } from './device-client-types';

describe('device information', () => {
  const AGREED = agreedTo(['device_info']);

  test('a question is answered with what holds now', async () => {
    const device = await aRegisteredDevice({}, AGREED);
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q-1' });
    await settle();

    expect(device.server().heard()).toMatchObject([
      { type: 'device_info_response', prev_response_id: 'q-1', metadata: { system_info: { free_gb: 2 } } },
    ]);
  });

  test('[AIP-64] without the extension the answer has the stock form', async () => {
    const device = await aRegisteredDevice();
    await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q-1' });
    await settle();

    expect(device.server().heard()).toMatchObject([{ metadata: { platform: 'linux', free_gb: 2 } }]);
  });

  test('with the extension the device reports every minute, without it never', async () => {
    const speaking = await aRegisteredDevice({}, AGREED);
    const stock = await aRegisteredDevice();
    await speaking.clock.advance(60_000);
    await stock.clock.advance(60_000);

    const reports = (device: typeof stock) =>
      device
        .server()
        .heard()
        .filter(({ type }) => type === 'device_info_response');
    expect(reports(speaking)).toHaveLength(1);
    expect(reports(stock)).toEqual([]);
  });

  describe('with a manifest', () => {
    const TOOL = { tool_key: 'action::echo', tool_name: 'echo', namespace: 'builtin', tool_type: 'action' };

    function aManifest() {
      const listeners = new Set<() => void>();
      let version = 1;
      const options: Partial<DeviceClientOptions> = {
        manifest: async () => ({ capabilities: ['shell', `v${version}`], osVersion: 'Linux 6', tools: [TOOL] }),
        onManifestChanged(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      };
      return {
        options,
        listeners,
        change() {
          version += 1;
          for (const listener of listeners) listener();
        },
      };
    }

    function reportsOf(device: Awaited<ReturnType<typeof aRegisteredDevice>>) {
      const reports = device.server().heard();
      return reports.filter(({ type }) => type === 'device_info_response');
    }

    test('[AIP-33] the REGISTER says what the device can do', async () => {
      const device = aDevice(aManifest().options);
      await settle();

      expect(device.server().heard()).toMatchObject([
        {
          metadata: {
            system_info: { free_gb: 1 },
            capabilities: ['shell', 'v1'],
            os_version: 'Linux 6',
            tools: [TOOL],
          },
        },
      ]);
    });

    test('answers and reports say it, too', async () => {
      const device = await aRegisteredDevice(aManifest().options, AGREED);
      await device.server().say({ type: 'device_info_request', status: 'ok', response_id: 'q-1' });
      await settle();

      expect(reportsOf(device)).toMatchObject([
        {
          prev_response_id: 'q-1',
          metadata: { system_info: { free_gb: 2 }, capabilities: ['shell', 'v1'], tools: [TOOL] },
        },
      ]);
    });

    test('a change is told at once, further ones at most every five seconds, the last one always', async () => {
      const manifest = aManifest();
      const device = await aRegisteredDevice(manifest.options, AGREED);
      await device.clock.advance(10_000);
      for (let round = 0; round < 20; round += 1) {
        manifest.change();
        await device.clock.advance(500);
      }
      await device.clock.advance(5_000);

      const reports = reportsOf(device);
      expect(reports).toMatchObject([
        { metadata: { capabilities: ['shell', 'v2'] } },
        { metadata: { capabilities: ['shell', 'v11'] } },
        { metadata: { capabilities: ['shell', 'v21'] } },
      ]);
      expect(reports[0]).not.toHaveProperty('prev_response_id');
    });

    test('a change is not told to a server that did not agree, nor after the connection has ended', async () => {
      const manifest = aManifest();
      const stock = await aRegisteredDevice(manifest.options);
      manifest.change();
      await stock.clock.advance(120_000);
      expect(reportsOf(stock)).toEqual([]);

      const device = await aRegisteredDevice(manifest.options, AGREED);
      expect(manifest.listeners.size).toBe(1);
      await device.endpoint.stop();
      expect(manifest.listeners.size).toBe(0);
    });

    test('a manifest that fails or hangs keeps nobody from registering', async () => {
      const failing = aDevice({ manifest: () => Promise.reject(new Error('no tools')) });
      const hanging = aDevice({ manifest: () => new Promise(() => {}) });
      await settle();
      await hanging.clock.advance(8_000);

      for (const device of [failing, hanging]) {
        expect(device.server().heard()).toMatchObject([{ type: 'register', metadata: { system_info: {} } }]);
      }
    });
  });

  test('many questions at once are answered, each with what holds after it was asked, and do not multiply the work', async () => {
    let collections = 0;
    const device = await aRegisteredDevice({
      systemInfo: async () => {
        collections += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return { collections };
      },
    });
    for (let index = 0; index < 100; index += 1) {
      await device.server().say({ type: 'device_info_request', status: 'ok', response_id: `q-${index}` });
    }
    await settle();
    await settle();

    expect(device.server().heard()).toHaveLength(100);
    expect(collections).toBeLessThanOrEqual(4);
  });
});
