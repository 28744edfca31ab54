import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonObjectSchema } from '@/lib/std/json';
import { mergeProfile, profileFacts } from './merge-profile';
import { aDevice } from './testing/a-fleet';
import vectors from './testing/vectors/device_info.json';

const caseSchema = z.object({ name: z.string(), input: jsonObjectSchema, output: jsonObjectSchema });
const updates = vectors.cases
  .filter(({ name }) => name.startsWith('profile-update:'))
  .map((one) => caseSchema.parse(one));

test('the vectors are there', () => {
  expect(updates.length).toBeGreaterThan(3);
});

test.each(updates)('device information is folded as the reference does: $name', ({ input, output }) => {
  expect(mergeProfile({ os: 'unknown', capabilities: ['x'], metadata: {} }, input)).toEqual(output);
});

test('what the operator wrote is kept beside what the device says', () => {
  const merged = mergeProfile(
    { os: 'linux', capabilities: ['gpu'], metadata: { rack: 7 } },
    { supported_features: ['cli'] },
  );
  expect(merged.os).toBe('linux');
  expect(merged.capabilities).toEqual(['cli', 'gpu']);
  expect(merged.metadata.rack).toBe(7);
});

test('without information the profile is as the operator wrote it', () => {
  const profile = { os: 'linux', capabilities: ['b', 'a'], metadata: { rack: 7 } };
  expect(mergeProfile(profile, null)).toEqual(profile);
});

test('each fact of a profile tells who says it, contradictions included', () => {
  const device = aDevice('linux-1', {
    info: {
      info: { platform: 'windows', custom_metadata: { tier: 'gold', tags: ['prod'] }, tags: ['prod'] },
      origin: 'registration',
      askedAtMs: 1,
      collectedAtMs: 1,
    },
  });
  expect(profileFacts(device)).toEqual([
    { source: 'operator', name: 'os', value: 'linux' },
    { source: 'operator', name: 'capabilities', value: [] },
    { source: 'service', name: 'tier', value: 'gold' },
    { source: 'service', name: 'tags', value: ['prod'] },
    { source: 'telemetry', name: 'platform', value: 'windows' },
  ]);
});

test('what a device adds to a fresh answer is told as its own words', () => {
  const info = { custom_metadata: { load_average: [1, 2, 3] } };
  const device = aDevice('linux-1', { info: { info, origin: 'device', askedAtMs: 1, collectedAtMs: 1 } });
  expect(profileFacts(device)).toContainEqual({ source: 'telemetry', name: 'load_average', value: [1, 2, 3] });
});
