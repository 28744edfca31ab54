import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withSetupLock } from './setup-lock.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('the lock is there during the work and gone after it, also when the work fails', async () => {
  await withSetupLock(folder, async () => expect(existsSync(join(folder, '.setup-lock'))).toBe(true));
  await expect(
    withSetupLock(folder, async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');

  expect(readdirSync(folder)).toEqual([]);
});

test('a second process waits until the first one is done', async () => {
  const order: string[] = [];
  writeFileSync(join(folder, '.setup-lock'), String(process.ppid));

  const second = withSetupLock(folder, async () => {
    order.push('second works');
  });
  await new Promise((done) => setTimeout(done, 50));
  order.push('first is done');
  rmSync(join(folder, '.setup-lock'));
  await second;

  expect(order).toEqual(['first is done', 'second works']);
});

test('the lock of a process that was killed holds nobody up', async () => {
  writeFileSync(join(folder, '.setup-lock'), String(deadPid()));

  await expect(withSetupLock(folder, async () => 'done')).resolves.toBe('done');
  expect(readdirSync(folder)).toEqual([]);
});
