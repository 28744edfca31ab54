import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile } from './log-file.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-log-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onFailure = (error: unknown) => {
  throw error;
};

test('a log goes on where it was, readable by its owner only', () => {
  const path = join(folder, 'logs', 'a.log');
  createLogFile(path, { onFailure }).write('one\n');
  createLogFile(path, { onFailure }).write('two\n');

  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a log never takes more than two files of its size', () => {
  const path = join(folder, 'a.log');
  const log = createLogFile(path, { onFailure, sizeBytesMax: 10 });
  for (const line of ['12345678\n', 'abcdefgh\n', 'ABCDEFGH\n']) log.write(line);

  expect(readFileSync(path, 'utf8')).toBe('ABCDEFGH\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('abcdefgh\n');
  expect(existsSync(`${path}.2`)).toBe(false);
});

test('a log that cannot be written is told once and stops nothing', () => {
  writeFileSync(join(folder, 'file'), '');
  const failures: unknown[] = [];
  const log = createLogFile(join(folder, 'file', 'a.log'), { onFailure: (error) => failures.push(error) });

  log.write('one');
  log.write('two');

  expect(failures).toHaveLength(1);
});
