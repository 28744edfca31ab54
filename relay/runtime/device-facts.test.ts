import { expect, test } from 'vitest';
import { aDevice } from '@/lib/fleet/testing/a-fleet';
import { eventsOfFact } from './device-facts';

const device = aDevice('linux-1', { refresh: { phase: 'asked', askedAtMs: 1, askedBy: 'ada' } });
const told = (info: { noise: string }) =>
  eventsOfFact(device, { type: 'info', info, fresh: true, askedAtMs: 1 }, 2).map(({ type }) => type);

test('device information is measured in bytes, not in characters', () => {
  expect(told({ noise: 'a'.repeat(40_000) })).toEqual(['device-info-received']);
  expect(told({ noise: 'é'.repeat(40_000) })).toEqual(['device-info-failed']);
});
