import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRootFolder, type RootFolder } from './root-folder';

let outer: string;
let root: RootFolder;

beforeEach(async () => {
  outer = await mkdtemp(path.join(tmpdir(), 'root-folder-'));
  await writeFile(path.join(outer, 'secret.txt'), 'secret');
  root = await openRootFolder(path.join(outer, 'root'));
  await mkdir(path.join(root.realPath, 'sub'));
  await writeFile(path.join(root.realPath, 'sub', 'a.txt'), 'inside');
});

afterEach(() => rm(outer, { recursive: true, force: true }));

const inRoot = (...parts: string[]) => path.join(root.realPath, ...parts);

async function read(name: string): Promise<string> {
  const handle = await root.openForReading(name);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const write = (name: string, text: string) => root.replaceFile(name, Buffer.from(text));

test.each([
  ['/etc/passwd', 'absolute'],
  ['C:\\Windows\\win.ini', 'absolute'],
  ['C:x', 'absolute'],
  ['\\\\host\\share\\x', 'absolute'],
  ['../secret.txt', '".."'],
  ['sub/../../secret.txt', '".."'],
  ['sub/..', '".."'],
  ['a\0b', 'NUL'],
])('the path %j is refused for reading and writing', async (name, reason) => {
  await expect(read(name)).rejects.toThrow(reason);
  await expect(write(name, 'x')).rejects.toThrow(reason);
});

test('links that stay inside are followed, links that lead out are refused', async () => {
  await symlink('sub', inRoot('alias'));
  await symlink('..', inRoot('up'));
  await symlink('../secret.txt', inRoot('leak'));
  await symlink('/etc', inRoot('etc'));
  expect(await read('alias/a.txt')).toBe('inside');
  for (const name of ['up/secret.txt', 'leak', 'etc/hostname', 'up']) {
    await expect(read(name)).rejects.toThrow('root folder');
  }
});

test('nothing is written through a link', async () => {
  await symlink('../secret.txt', inRoot('leak'));
  await symlink('..', inRoot('up'));
  await symlink('sub/a.txt', inRoot('inner'));
  await expect(write('leak', 'x')).rejects.toThrow('is a link');
  await expect(write('inner', 'x')).rejects.toThrow('is a link');
  await expect(write('up/new.txt', 'x')).rejects.toThrow('root folder');
  await expect(write('up/new/deep.txt', 'x')).rejects.toThrow('root folder');
  expect(await readdir(outer)).toEqual(['root', 'secret.txt']);
  expect(await readFile(path.join(outer, 'secret.txt'), 'utf8')).toBe('secret');
});

test('a name that only begins like the root folder is outside of it', async () => {
  await mkdir(path.join(outer, 'root-sibling'));
  await writeFile(path.join(outer, 'root-sibling', 'x'), 'x');
  await symlink('../root-sibling', inRoot('sibling'));
  await expect(read('sibling/x')).rejects.toThrow('root folder');
});

test('a file is replaced as a whole, keeps its mode and leaves nothing else behind', async () => {
  await write('new/deep/b.txt', 'one');
  await write('new/deep/b.txt', 'two');
  expect(await read('new/deep/b.txt')).toBe('two');
  await writeFile(inRoot('tight'), 'x', { mode: 0o600 });
  await write('tight', 'y');
  expect((await stat(inRoot('tight'))).mode & 0o777).toBe(0o600);
  expect(await readdir(inRoot('new', 'deep'))).toEqual(['b.txt']);
});

test('a name as long as names can be is written', async () => {
  const name = 'n'.repeat(255);
  await write(name, 'long');
  expect(await read(name)).toBe('long');
  await expect(write(`${name}n`, 'x')).rejects.toThrow('too long a name');
});

test('folders and missing files are named as what they are, without the path of this machine', async () => {
  for (const attempt of [() => write('sub', 'x'), () => read('nothing'), () => read('sub/a.txt/x')]) {
    const failure = await attempt().catch((error) => String(error));
    expect(failure).toMatch(/is no file|does not exist|no folder/);
    expect(failure).not.toContain(outer);
  }
  await expect(write('.', 'x')).rejects.toThrow('root folder itself');
});

test('a command’s path leads outside when what it names exists outside', async () => {
  await symlink('../secret.txt', inRoot('leak'));
  expect(await root.leadsOutside('sub/a.txt')).toBe(false);
  expect(await root.leadsOutside('sub/../sub')).toBe(false);
  expect(await root.leadsOutside(inRoot('sub'))).toBe(false);
  expect(await root.leadsOutside('missing')).toBe(false);
  for (const name of ['/', '..', '../secret.txt', 'leak', '/etc', 'a\0b']) {
    expect(await root.leadsOutside(name)).toBe(true);
  }
});
