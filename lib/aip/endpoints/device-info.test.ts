import { describe, expect, test } from 'vitest';
import { agreedTo, aRegisteredDevice } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';

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
});
