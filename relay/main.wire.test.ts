import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { deviceListSchema } from './api/device-routes';
import { listen } from './listen';
import { RELAY_VERSION } from './version';

/** Each start compiles the program; on a busy machine that takes seconds. */
vi.setConfig({ testTimeout: 60_000 });

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

type Ready = { type: 'ready'; origin: string; signInUrl: string; tokenFile?: string };

function dataFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'orrery-main-')), 'data');
}

/** The program as its supervisor starts it. */
function startRelay(settings: Record<string, string>) {
  const child = fork(join(ROOT, 'relay', 'main.ts'), {
    cwd: ROOT,
    execArgv: ['--import', 'tsx'],
    env: { NODE_ENV: 'production', ORRERY_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  const output = { out: '', err: '' };
  if (child.stdout === null || child.stderr === null) throw new Error('Expected pipes');
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  // `close` is not told after a `disconnect`, so the end is that of the process and of both its streams.
  const ends = [once(child, 'exit'), once(child.stdout, 'end'), once(child.stderr, 'end')];
  const ended = Promise.all(ends).then(([exit]) => ({ code: exit?.[0], ...output }));
  const ready = new Promise<Ready>((resolve, reject) => {
    child.on('message', (message) => resolve(message as Ready));
    ended.then(({ code, err }) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  ready.catch(() => {});
  return { child, ready, ended };
}

function bearer(tokenFile: string | undefined) {
  return { authorization: `Bearer ${readFileSync(tokenFile ?? '', 'utf8').trim()}` };
}

test('a start tells its supervisor where it listens, one sign-in link that works once, and the token file', async () => {
  const { child, ready, ended } = startRelay({ ORRERY_DATA_DIR: dataFolder() });
  const { origin, signInUrl, tokenFile } = await ready;
  const code = new URL(signInUrl).hash.replace('#code=', '');
  const signIn = () =>
    fetch(`${origin}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 401]);
  expect(statSync(tokenFile ?? '').mode & 0o777).toBe(0o600);
  expect((await fetch(`${origin}/v1/devices`, { headers: bearer(tokenFile) })).status).toBe(200);
  child.kill('SIGTERM');
  const { code: exitCode, err } = await ended;
  expect([exitCode, err]).toEqual([0, '']);
});

test('the local device comes with the start script and goes when it is switched off; its token is nowhere', async () => {
  const ORRERY_DATA_DIR = dataFolder();
  const ORRERY_LOCAL_DEVICE_URL = 'ws://127.0.0.1:9/ws?token=canary-local';
  const first = startRelay({ ORRERY_DATA_DIR, ORRERY_LOCAL_DEVICE_URL, ORRERY_LOG_LEVEL: 'debug' });
  const { origin, tokenFile } = await first.ready;
  const shown = await (await fetch(`${origin}/v1/devices`, { headers: bearer(tokenFile) })).text();
  expect(deviceListSchema.parse(JSON.parse(shown)).devices.map((device) => device.device_id)).toEqual(['local']);
  first.child.kill('SIGTERM');
  const { out } = await first.ended;
  const files = readdirSync(ORRERY_DATA_DIR).map((name) => readFileSync(join(ORRERY_DATA_DIR, name), 'latin1'));
  expect([shown, out, ...files].filter((text) => text.includes('canary-local'))).toEqual([]);
  const second = startRelay({ ORRERY_DATA_DIR, ORRERY_LOCAL_DEVICE: 'off' });
  const again = await second.ready;
  const left = await (await fetch(`${again.origin}/v1/devices`, { headers: bearer(again.tokenFile) })).json();
  expect(left).toEqual({ devices: [] });
});

test('it stops by itself when its supervisor is gone', async () => {
  const { child, ready, ended } = startRelay({ ORRERY_DATA_DIR: dataFolder() });
  await ready;
  child.disconnect();
  expect((await ended).code).toBe(0);
});

test('a busy port is one clear sentence and exit code 1', async () => {
  const blocker = createServer();
  const port = await listen(blocker, '127.0.0.1', 0);
  const { ended } = startRelay({ ORRERY_DATA_DIR: dataFolder(), ORRERY_PORT: String(port) });
  const { code, err } = await ended;
  blocker.close();
  expect([code, err]).toEqual([
    1,
    `Port ${port} on 127.0.0.1 is in use by another program; stop that one, or set ORRERY_PORT to a free port.\n`,
  ]);
});

test('a data folder that cannot be used is one clear sentence and exit code 1', async () => {
  const folder = dataFolder();
  writeFileSync(folder, 'a file where a folder should be');
  const { code, err } = await startRelay({ ORRERY_DATA_DIR: folder }).ended;
  expect([code, err.trim().split('\n').length]).toEqual([1, 1]);
  expect(err).toContain(folder);
});

test('a damaged key of the device secrets is one clear sentence and exit code 1', async () => {
  const folder = dataFolder();
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'secret.key'), 'xx');
  const { code, err, out } = await startRelay({ ORRERY_DATA_DIR: folder }).ended;
  expect([code, err.trim().split('\n').length, out]).toEqual([1, 1, '']);
  expect(err).toContain(join(folder, 'secret.key'));
});

test('a second relay on the same data folder is refused', async () => {
  const ORRERY_DATA_DIR = dataFolder();
  await startRelay({ ORRERY_DATA_DIR }).ready;
  const { code, err } = await startRelay({ ORRERY_DATA_DIR }).ended;
  expect([code, err.trim().split('\n').length]).toEqual([1, 1]);
});

test('wrong settings are all named before anything listens', async () => {
  const { code, err } = await startRelay({ ORRERY_PORT: 'x', ORRERY_LOCAL_DEVICE: 'y' }).ended;
  expect([code, err.trim().split('\n').length]).toEqual([1, 2]);
});

test('sessions and tokens outlive kill -9', async () => {
  const ORRERY_DATA_DIR = dataFolder();
  const first = startRelay({ ORRERY_DATA_DIR });
  const { origin, signInUrl, tokenFile } = await first.ready;
  const body = JSON.stringify({ code: new URL(signInUrl).hash.replace('#code=', '') });
  const headers = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${origin}/v1/session`, { method: 'POST', headers, body });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  first.child.kill('SIGKILL');
  await first.ended;
  const again = await startRelay({ ORRERY_DATA_DIR }).ready;
  expect(again.tokenFile).toBe(tokenFile);
  expect((await fetch(`${again.origin}/v1/session`, { headers: { cookie } })).status).toBe(200);
});

test('the version is that of the product', () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version).toBe(RELAY_VERSION);
});
