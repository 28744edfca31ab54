import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createNodeClock } from './node-clock';
import { createNodeFileStore } from './node-file-store';

// What Android answers to its apps, and a memory card to everybody.
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' })),
}));

test('where files have one name only, a file still appears whole and takes no other’s place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-files-'));
  try {
    writeFileSync(join(folder, 'a.txt'), 'earlier');
    const store = createNodeFileStore(folder, { clock: createNodeClock() });
    const partial = await store.open({ key: 'a'.repeat(64), filename: 'a.txt', sizeBytes: 5 });
    await partial.append(Buffer.from('hello'));

    expect(await partial.commit()).toBe(join(folder, 'a (1).txt'));
    expect(['a.txt', 'a (1).txt'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      'earlier',
      'hello',
    ]);
    expect(readdirSync(join(folder, '.partial'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
