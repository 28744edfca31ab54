import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openNodeFile } from './node-file-source';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file is read where it is asked for, and says its name, size and kind', async () => {
  writeFileSync(join(folder, 'page.html'), 'hello');
  const file = await openNodeFile(join(folder, 'page.html'));
  expect(file).toMatchObject({ filename: 'page.html', sizeBytes: 5, mimeType: 'text/html' });
  expect(Buffer.from(await file.read(1, 3)).toString()).toBe('ell');
  expect(await file.read(5, 0)).toHaveLength(0);
  await file.close();
  await file.close();

  const named = await openNodeFile(join(folder, 'page.html'), { mimeType: 'x/y' });
  expect(named.mimeType).toBe('x/y');
  await named.close();
});

test('a file that changes while it is sent is not sent as a mixture', async () => {
  const path = join(folder, 'log');
  writeFileSync(path, 'hello');
  const file = await openNodeFile(path);
  appendFileSync(path, '!');
  await expect(file.read(0, 5)).rejects.toThrow('The file log was changed while it was sent');
  await file.close();
});

test('what is no file, or not there, is refused at once', async () => {
  await expect(openNodeFile(folder)).rejects.toThrow('Expected a file to send');
  await expect(openNodeFile(join(folder, 'none'))).rejects.toThrow('ENOENT');
});
