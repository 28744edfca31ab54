import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeProject } from './testing/fake-project';
import { until } from './testing/run-script';

let project: ReturnType<typeof createFakeProject>;

beforeEach(() => {
  project = createFakeProject();
});

afterEach(() => project.remove());

const builds = () => readFileSync(join(project.root, 'builds'), 'utf8').trim().split('\n').length;

test('a start builds, waits for everything and prints one sign-in link', async () => {
  const start = project.start({ ORRERY_TOKEN: '' });
  const origin = await start.untilReady();

  expect(start.screen.stdout.match(/#code=/g)).toHaveLength(1);
  expect(start.screen.stdout).toContain(`Sign in: ${origin}/sign-in#code=fake`);
  expect(start.screen.stdout).toContain(join(project.dataDir, 'token'));
  expect(start.screen.stderr).toBe('');
  expect([...start.pids.keys()].sort()).toEqual([
    'the local device',
    'the local device server',
    'the page server',
    'the relay',
  ]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops every process and counts as success', async (signal) => {
  const start = project.start();
  const origin = await start.untilReady();

  start.child.kill(signal);

  expect(await start.ended).toBe(0);
  expect(start.leftovers()).toEqual([]);
  await expect(fetch(`${origin}/readyz`)).rejects.toThrow();
});

test('a stop in the middle of the start leaves nothing behind', async () => {
  const start = project.start();
  await until(() => start.pids.size > 0);

  start.child.kill('SIGTERM');

  expect(await start.ended).toBe(0);
  expect(start.leftovers()).toEqual([]);
  expect(start.screen.stdout).not.toContain('#code=');
});

test('kill -9 of the start leaves nothing behind', async () => {
  const start = project.start();
  await start.untilReady();

  start.child.kill('SIGKILL');

  await until(() => start.leftovers().length === 0);
});

test('under npm, whose shell passes no SIGTERM on, the death of the shell stops everything', async () => {
  const start = project.startUnderNpm();
  const origin = await start.untilReady();

  start.child.kill('SIGKILL');

  await until(() => start.leftovers().length === 0);
  await expect(fetch(`${origin}/readyz`)).rejects.toThrow();
});

test('a program that dies is started again, and the others are not touched', async () => {
  const start = project.start();
  await start.untilReady();
  const before = new Map(start.pids);

  process.kill(before.get('the page server') ?? 0, 'SIGKILL');
  process.kill(before.get('the local device') ?? 0, 'SIGKILL');
  const changed = () => [...start.pids].filter(([name, pid]) => before.get(name) !== pid).map(([name]) => name);
  await until(() => changed().length === 2);

  expect(changed().sort()).toEqual(['the local device', 'the page server']);
  expect(start.screen.stderr).toContain('The page server has ended (signal SIGKILL) and is started again');
});

test('a killed relay comes back on the same port and prints a new link', async () => {
  const start = project.start();
  const origin = await start.untilReady();

  process.kill(start.pids.get('the relay') ?? 0, 'SIGKILL');
  await until(() => start.screen.stdout.includes('The relay runs again'));

  expect(start.screen.stdout.match(/#code=/g)).toHaveLength(2);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});

test('a relay that cannot come back ends the start with its last words', async () => {
  const start = project.start();
  await start.untilReady();
  writeFileSync(join(project.dataDir, 'relay-fails'), '');

  process.kill(start.pids.get('the relay') ?? 0, 'SIGKILL');

  expect(await start.ended).toBe(1);
  expect(start.screen.stderr).toMatch(/giving up\. The journal is from a newer Orrery\.\n$/);
  expect(start.leftovers()).toEqual([]);
});

test('a relay that cannot start at all is told in its own words, once', async () => {
  writeFileSync(join(project.dataDir, 'relay-fails'), '');

  const start = project.start();

  expect(await start.ended).toBe(1);
  expect(start.screen.stderr).toBe('The journal is from a newer Orrery.\n');
  expect(start.leftovers()).toEqual([]);
});

test('somebody who stops the relay stops everything', async () => {
  const start = project.start();
  await start.untilReady();

  process.kill(start.pids.get('the relay') ?? 0, 'SIGTERM');

  expect(await start.ended).toBe(0);
  expect(start.leftovers()).toEqual([]);
});

test('without the local device only the relay and the pages run', async () => {
  const start = project.start({ ORRERY_LOCAL_DEVICE: 'off' });
  await start.untilReady();

  expect([...start.pids.keys()].sort()).toEqual(['the page server', 'the relay']);
});

test('the page server never sees the token', async () => {
  const start = project.start({ ORRERY_TOKEN: 'fake-token' });

  expect(await start.untilReady()).not.toBe('');
});

test('an address that others can reach, without TLS, is warned about once', async () => {
  const start = project.start({ ORRERY_HOST: '0.0.0.0' });
  await start.untilReady();

  expect(start.screen.stderr).toMatch(/^Warning: ORRERY_HOST=0\.0\.0\.0 [^\n]+\n$/);
});

test('two starts at once build once', async () => {
  const [first, second] = [project.start(), project.start({ ORRERY_DATA_DIR: join(project.root, 'other') })];
  await Promise.all([first.untilReady(), second.untilReady()]);

  expect(builds()).toBe(1);
});

test('nothing is built again until a source changes', async () => {
  const first = project.start();
  await first.untilReady();
  first.child.kill('SIGTERM');
  await first.ended;

  const second = project.start();
  await second.untilReady();
  expect(builds()).toBe(1);
  second.child.kill('SIGTERM');
  await second.ended;

  writeFileSync(join(project.root, 'next.config.ts'), 'export default {};');
  const third = project.start();
  await third.untilReady();
  expect(builds()).toBe(2);
});

test('programs write their logs into the data folder', async () => {
  const start = project.start();
  await start.untilReady();

  for (const name of ['relay', 'pages', 'local-device-server', 'local-device']) {
    expect(existsSync(join(project.dataDir, 'logs', `${name}.log`))).toBe(true);
  }
  rmSync(join(project.dataDir, 'logs'), { recursive: true });
});
