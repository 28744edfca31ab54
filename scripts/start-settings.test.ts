import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDataDir, isLoopback, probePort, readDevelopmentSettings, readStartSettings } from './start-settings.mjs';
import { runScript } from './testing/run-script';

let folder: string;
let busy: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-settings-'));
});

afterEach(async () => {
  await new Promise((done) => (busy === undefined ? done(undefined) : busy.close(done)));
  busy = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function busyPort(): Promise<number> {
  const server = createServer();
  busy = server;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('without any setting the start is local, on port 3000, with a local device', () => {
  const settings = readStartSettings({});

  expect(settings).toMatchObject({ host: '127.0.0.1', port: 3000, hasLocalDevice: true });
  expect(settings.dataDir).toMatch(/[/\\]\.orrery$/);
});

test('settings are read as the relay reads them: trimmed, words in any case, an address with or without brackets', () => {
  const settings = readStartSettings({ ORRERY_HOST: ' [::1] ', ORRERY_PORT: ' 80 ', ORRERY_LOCAL_DEVICE: 'OFF' });

  expect(settings).toMatchObject({ host: '::1', port: 80, hasLocalDevice: false });
});

test('all wrong settings are named at once', () => {
  expect(() => readStartSettings({ ORRERY_PORT: '99999', ORRERY_LOCAL_DEVICE: 'maybe' })).toThrow(
    /ORRERY_PORT .*"99999".*\nORRERY_LOCAL_DEVICE .*"maybe"/,
  );
});

test('only addresses of this machine alone count as loopback', () => {
  expect(['127.0.0.1', '127.9.8.7', '::1', 'localhost'].map(isLoopback)).toEqual([true, true, true, true]);
  expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.example'].map(isLoopback)).toEqual([false, false, false, false]);
});

test('port 0 gives a free port', async () => {
  expect(await probePort({ host: '127.0.0.1', port: 0 })).toBeGreaterThan(0);
});

test('an address that this machine does not have is named', async () => {
  await expect(probePort({ host: '192.0.2.1', port: 0 })).rejects.toThrow(
    'ORRERY_HOST is "192.0.2.1", which is no address',
  );
});

test('a busy port ends the start with one sentence that offers another port', async () => {
  const port = await busyPort();

  const run = await runScript('start.mjs', { env: { ORRERY_PORT: String(port), ORRERY_DATA_DIR: folder } });

  expect(run.code).toBe(1);
  expect(run.stdout).toBe('');
  expect(run.stderr).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program, perhaps by an Orrery that runs already. Stop that program, or choose another port: ORRERY_PORT=${port + 1} npm start (a second Orrery also needs an ORRERY_DATA_DIR of its own)\n`,
  );
});

test('a data folder that cannot be written ends the start with one sentence', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');

  const run = await runScript('start.mjs', { env: { ORRERY_PORT: '0', ORRERY_DATA_DIR: join(file, 'data') } });

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(
    /^The data folder \S+ cannot be written \(\S+file is no folder\)\. [^\n]*ORRERY_DATA_DIR=[^\n]+\n$/,
  );
});

test('a file in the place of the data folder is named', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');

  const run = await runScript('start.mjs', { env: { ORRERY_PORT: '0', ORRERY_DATA_DIR: file } });

  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`The data folder ${file} cannot be written (${file} is no folder)`);
});

test.skipIf(!existsSync('/proc/self'))('a place where nobody can make a folder ends the start as well', async () => {
  const run = await runScript('start.mjs', { env: { ORRERY_PORT: '0', ORRERY_DATA_DIR: '/proc/orrery/data' } });

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^The data folder \/proc\/orrery\/data cannot be written \(ENOENT\)/);
});

test('a data folder is made with all folders above it, for this user only', () => {
  const dataDir = join(folder, 'some', 'where');

  ensureDataDir(dataDir);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(readdirSync(dataDir)).toEqual([]);
});

test('development keeps its data apart from those of a start, unless a setting names the folder', () => {
  expect(readDevelopmentSettings({}).dataDir).toMatch(/[/\\]\.orrery-dev$/);
  expect(readDevelopmentSettings({ ORRERY_DATA_DIR: folder }).dataDir).toBe(folder);
});

test('a start that fails leaves nothing in the data folder', async () => {
  const port = await busyPort();

  await runScript('start.mjs', { env: { ORRERY_PORT: String(port), ORRERY_DATA_DIR: folder } });

  expect(existsSync(join(folder, 'logs'))).toBe(false);
});
