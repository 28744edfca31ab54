import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createNodeClock } from '@/relay/net/node-clock';
import { createDiskProbe } from './disk-probe';

const clock = createNodeClock();

test('the disk of a folder is told in bytes', async () => {
  const disk = await createDiskProbe({ folder: tmpdir(), clock }).read();
  expect(disk?.totalBytes).toBeGreaterThan(0);
  expect(disk?.freeBytes).toBeLessThanOrEqual(disk?.totalBytes ?? 0);
});

test('a folder that is not there, and a file system that does not tell, have no disk', async () => {
  expect(await createDiskProbe({ folder: '/does/not/exist', clock }).read()).toBeUndefined();
  const ask = async () => ({ blocks: 0, bavail: 0, bsize: 4_096 });
  expect(await createDiskProbe({ folder: '/', clock, ask }).read()).toBeUndefined();
});

test('a disk that hangs is given up, asked no second time meanwhile, and told when it answers again', async () => {
  const answers: ((disk: { blocks: number; bavail: number; bsize: number }) => void)[] = [];
  const probe = createDiskProbe({
    folder: '/',
    clock: { ...clock, after: (_, run) => clock.after(10, run) },
    ask: () => new Promise((resolve) => answers.push(resolve)),
  });
  expect(await probe.read()).toBeUndefined();
  expect(await probe.read()).toBeUndefined();
  expect(answers).toHaveLength(1);
  const reading = probe.read();
  answers[0]?.({ blocks: 2, bavail: 1, bsize: 512 });
  expect(await reading).toEqual({ totalBytes: 1_024, freeBytes: 512 });
});
