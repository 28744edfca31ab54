import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentHash } from './content-hash.mjs';
import { isInstalledAsLocked } from './ensure.mjs';
import { ROOT, runScript } from './testing/run-script';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orrery-ensure-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function copyOf(...paths: string[]): void {
  for (const path of paths) cpSync(join(ROOT, path), join(root, path), { recursive: true });
}

test('any change of a source makes a build stale, and taking it back makes it fresh again', () => {
  write('lib/a.ts', 'one');
  write('lib/deep/b.ts', 'two');
  const before = contentHash(root, ['lib']);

  write('lib/deep/b.ts', 'TWO');
  expect(contentHash(root, ['lib'])).not.toBe(before);

  write('lib/deep/b.ts', 'two');
  expect(contentHash(root, ['lib'])).toBe(before);
});

test('a renamed, a new and a removed file are changes', () => {
  write('lib/a.ts', 'one');
  const before = contentHash(root, ['lib']);

  write('lib/b.ts', 'one');
  const added = contentHash(root, ['lib']);
  rmSync(join(root, 'lib/a.ts'));

  expect(added).not.toBe(before);
  expect(contentHash(root, ['lib'])).not.toBe(before);
});

test('what no build reads makes nothing stale', () => {
  write('lib/a.ts', 'one');
  const before = contentHash(root, ['lib', 'next.config.ts']);

  write('lib/a.test.ts', 'test');
  write('lib/testing/builder.ts', 'builder');
  write('lib/SPEC.md', 'page');

  expect(contentHash(root, ['lib', 'next.config.ts'])).toBe(before);
});

test('packages that somebody has installed by hand are not installed again', () => {
  const entry = { version: '1.2.3' };
  write(
    'package-lock.json',
    JSON.stringify({
      packages: { '': {}, 'node_modules/a': entry, 'node_modules/b': { version: '1.0.0', optional: true } },
    }),
  );

  write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/a': entry } }));
  expect(isInstalledAsLocked(root)).toBe(true);

  write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/a': { version: '1.2.4' } } }));
  expect(isInstalledAsLocked(root)).toBe(false);

  write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }));
  expect(isInstalledAsLocked(root)).toBe(false);
});

test('a failed install is told with the last words of npm, and nothing counts as installed', async () => {
  copyOf('scripts', 'package.json');

  const run = await runScript('start.mjs', {
    root,
    env: { ORRERY_PORT: '0', npm_config_registry: 'http://127.0.0.1:9' },
  });

  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(/^Installing packages[^\n]*\n$/);
  expect(run.stderr).toMatch(
    /^The packages could not be installed; npm ci ended with code \d+ and these words:\nnpm error/,
  );
  expect(existsSync(join(root, 'node_modules/.install-stamp'))).toBe(false);
  expect(existsSync(join(root, 'dist/.setup-lock'))).toBe(false);
});

test('a failed build is told with the place of the error, and the next start builds again', async () => {
  copyOf('scripts', 'package.json', 'package-lock.json', 'tsconfig.json');
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  write('relay/main.ts', 'const = 1;');
  write('relay/device-server/main.ts', '');
  write('relay/device-client/main.ts', '');

  const run = await runScript('start.mjs', { root, env: { ORRERY_PORT: '0' } });

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^The build failed: [^\n]+\n/);
  expect(run.stderr).toContain('relay/main.ts:1:6');
  expect(existsSync(join(root, 'dist/BUILD_STAMP'))).toBe(false);
  expect(existsSync(join(root, 'dist/.setup-lock'))).toBe(false);
});
