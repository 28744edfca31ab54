import { expect, test } from 'vitest';
import { readConstellation } from '@/lib/constellation/codec';
import { anImportContext } from '@/lib/constellation/testing/import-context';
import { deviceIdSchema } from '@/lib/std/ids';
import { oneStarConstellation } from './one-star-constellation';

const star = {
  deviceId: deviceIdSchema.parse('linux-1'),
  request: '$ echo hello\nread_file path=notes.txt',
  name: 'Task for linux-1',
  nonce: 'n1',
  at: '2025-11-06T09:00:00.000Z',
};

test('a task for one device is a constellation that imports without a warning', () => {
  const read = readConstellation(oneStarConstellation(star), anImportContext());
  expect(read.ok && read.value.warnings).toEqual([]);
  expect(read.ok && read.value.document.tasks).toMatchObject([
    { name: '$ echo hello', description: star.request, targetDeviceId: 'linux-1' },
  ]);
});

test('a long request keeps a short name and its whole text', () => {
  const request = `$ echo ${'x'.repeat(500)}`;
  const read = readConstellation(oneStarConstellation({ ...star, request }), anImportContext());
  const task = read.ok ? read.value.document.tasks[0] : undefined;
  expect(task?.name).toHaveLength(60);
  expect(task?.description).toBe(request);
});
