import { expect, test } from 'vitest';
import { draftsFromDevicesFile } from './devices-file';

test('a stock devices file gives one draft per entry, defaults filled in', () => {
  const read = draftsFromDevicesFile({
    task_name: 't',
    heartbeat_interval: 10,
    devices: [
      { device_id: 'd', server_url: 'ws://h/ws', os: null },
      {
        device_id: 'e',
        server_url: 'ws://h/ws',
        os: 'linux',
        capabilities: ['a'],
        metadata: { m: 1 },
        auto_connect: false,
        max_retries: 9,
      },
    ],
  });
  expect(read.ok && read.value.problems).toEqual([]);
  expect(read.ok && read.value.drafts).toEqual([
    {
      deviceId: 'd',
      serverUrl: 'ws://h/ws',
      os: 'unknown',
      capabilities: [],
      metadata: {},
      autoConnect: true,
      maxRetries: 5,
    },
    {
      deviceId: 'e',
      serverUrl: 'ws://h/ws',
      os: 'linux',
      capabilities: ['a'],
      metadata: { m: 1 },
      autoConnect: false,
      maxRetries: 9,
    },
  ]);
});

test('a wrong entry is named with its place and does not keep the others out', () => {
  const read = draftsFromDevicesFile({
    devices: [
      { device_id: 'd' },
      'x',
      { device_id: 'ok', server_url: 'ws://h' },
      { device_id: 'ok', server_url: 'ws://i' },
    ],
  });
  expect(read.ok && read.value.drafts.map(({ deviceId }) => deviceId)).toEqual(['ok']);
  expect(read.ok && read.value.problems.map(({ path }) => path)).toEqual([
    'devices.0.server_url',
    'devices.1',
    'devices.3.device_id',
  ]);
});

test.each([
  ['an empty file', null],
  ['another YAML file', { services: { web: {} } }],
  ['a text', 'nope'],
])('%s is refused with what was expected', (_what, value) => {
  const read = draftsFromDevicesFile(value);
  expect(read.ok).toBe(false);
  expect(!read.ok && read.error.message).toContain('expected a devices file');
});
