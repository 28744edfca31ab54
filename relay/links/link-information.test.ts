import { expect, test } from 'vitest';
import type { DeviceInfoAnswer } from '@/lib/aip/endpoints/constellation-types';
import type { DeviceFact } from './link-host';
import { LinkInformation } from './link-information';

const FOUND: DeviceInfoAnswer = { ok: true, info: { cpu: 4 }, fresh: true };
const UNKNOWN: DeviceInfoAnswer = { ok: false, reason: 'unknown-device', message: 'not here' };

function information(answer: DeviceInfoAnswer) {
  const facts: DeviceFact[] = [];
  const announce = async (told: readonly DeviceFact[]) => void facts.push(...told);
  const link = new LinkInformation({
    clock: { now: () => 7 },
    endpoint: { requestDeviceInfo: async () => answer },
    announce,
  });
  return { link, facts };
}

test('a look for the device tells nothing of it, a refresh does', async () => {
  const { link, facts } = information(FOUND);

  expect(await link.ask('presence')).toBe('there');
  expect(facts).toEqual([]);
  expect(await link.refresh()).toBe('there');
  expect(facts).toEqual([{ type: 'info', info: { cpu: 4 }, fresh: true, askedAtMs: 7 }]);
});

test('a device that its server does not know is gone, except right after a registration', async () => {
  const { link } = information(UNKNOWN);

  expect(await link.ask('presence')).toBe('gone');
  expect(await link.ask('connect')).toBe('there');
});

test('whoever waits for a refresh is told once why there is none', async () => {
  const { link, facts } = information(FOUND);
  await link.failRefresh('nobody waits');
  link.wantRefresh();

  await link.failRefresh('the link was lost');
  await link.failRefresh('the link was lost');

  expect(facts).toEqual([{ type: 'info-failed', reason: 'the link was lost' }]);
});
