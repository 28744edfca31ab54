import { expect, test } from 'vitest';
import { deviceDraftSchema } from '@/lib/fleet/commands';
import type { DeviceProfile } from '@/lib/fleet/device';
import { aDevice } from '@/lib/fleet/testing/a-fleet';
import {
  bodyOfForm,
  type DeviceForm,
  EMPTY_DEVICE_FORM,
  errorsOfProblem,
  formOfDevice,
  metadataForm,
  readMetadata,
} from './device-form';

const FILLED: DeviceForm = { ...EMPTY_DEVICE_FORM, deviceId: ' pc-1 ', serverUrl: 'ws://pc-1:5000/ws?token=x' };

function aProfile(change: Partial<DeviceProfile> = {}): DeviceProfile {
  return { ...aDevice('pc-1').profile, metadata: { site: 'lab' }, capabilities: ['cli'], ...change };
}

const problem = { type: 'about:blank', title: 'x', status: 422, detail: 'no', code: 'invalid' };

test('a filled form becomes the body that the relay expects', () => {
  const pairs = [
    { id: 0, key: ' site ', value: 'lab' },
    { id: 1, key: '', value: '' },
  ];
  const form: DeviceForm = { ...FILLED, capabilities: ['cli'], metadata: { as: 'pairs', pairs } };
  expect(bodyOfForm(form)).toEqual({
    ok: true,
    value: {
      device_id: 'pc-1',
      server_url: 'ws://pc-1:5000/ws?token=x',
      os: 'linux',
      capabilities: ['cli'],
      metadata: { site: 'lab' },
      auto_connect: true,
      max_retries: 5,
    },
  });
});

test('every mistake is told at its own field', () => {
  const form: DeviceForm = {
    ...EMPTY_DEVICE_FORM,
    deviceId: 'two words',
    maxRetries: 'many',
    metadata: { as: 'json', text: '[1]' },
  };
  const body = bodyOfForm(form);
  expect(body.ok).toBe(false);
  if (!body.ok) expect(Object.keys(body.error).sort()).toEqual(['device_id', 'max_retries', 'metadata', 'server_url']);
});

test('an edit sends only what was changed, so a sealed address is left alone', () => {
  const profile = aProfile();
  const form = { ...formOfDevice(profile), os: 'windows' };
  expect(bodyOfForm(form, profile)).toEqual({ ok: true, value: { os: 'windows' } });
  expect(bodyOfForm(formOfDevice(profile), profile)).toEqual({ ok: true, value: {} });
});

test('metadata that pairs cannot say is shown as JSON and comes back the same', () => {
  for (const metadata of [{ a: 'b' }, { a: 1 }, { a: { b: [true] } }, {}]) {
    expect(readMetadata(metadataForm(metadata))).toEqual({ ok: true, value: metadata });
  }
  expect(metadataForm({ a: 1 }).as).toBe('json');
});

test('a name that stands twice is refused instead of losing one of its values', () => {
  const pairs = ['a', 'b'].map((value, id) => ({ id, key: 'site', value }));
  expect(readMetadata({ as: 'pairs', pairs })).toEqual({ ok: false, error: 'The name "site" stands twice' });
});

test('metadata that the relay would refuse is refused in the form already', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
  expect(readMetadata({ as: 'json', text: nested(63) }).ok).toBe(true);
  for (const json of ['{"__proto__": {}}', '{"a": {"\\u005f_proto__": 1}}', '{"a": "\\ud800"}', '{"a"', nested(64)]) {
    expect(readMetadata({ as: 'json', text: json }).ok, json).toBe(false);
  }
  for (const pair of [
    { id: 0, key: '__proto__', value: 'x' },
    { id: 0, key: 'a', value: '\ud800' },
  ]) {
    expect(readMetadata({ as: 'pairs', pairs: [pair] }).ok, pair.key).toBe(false);
  }
});

test('what a new device is not told stays as the relay would choose it', () => {
  const { os, ...rest } = deviceDraftSchema.parse({ deviceId: 'pc-1', serverUrl: 'ws://pc-1:5000' });
  const body = bodyOfForm({ ...FILLED, os: ' ' });
  expect(body.ok && body.value).toMatchObject({
    os,
    capabilities: rest.capabilities,
    metadata: rest.metadata,
    auto_connect: rest.autoConnect,
    max_retries: rest.maxRetries,
  });
});

test('the words of the relay stand at the field that their path names', () => {
  const errors = [
    { path: 'capabilities.0', message: 'too long' },
    { path: 'server_url', message: 'not allowed' },
  ];
  expect(errorsOfProblem({ ...problem, errors })).toEqual({ capabilities: 'too long', server_url: 'not allowed' });
});

test('an id that is taken is told at the id, a forbidden address at the address, the rest above the form', () => {
  expect(errorsOfProblem({ ...problem, code: 'device-exists', detail: 'taken' })).toEqual({ device_id: 'taken' });
  expect(errorsOfProblem(problem)).toEqual({ server_url: 'no' });
  expect(errorsOfProblem({ ...problem, code: 'forbidden' })).toEqual({ form: 'Not saved: no' });
});
