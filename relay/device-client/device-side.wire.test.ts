import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildPrograms, openLink, type Program, type Programs, type TestLink, until } from './testing/programs';

const KEY = 'wire-test-key-that-nobody-may-see';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let built: Programs;
let folder: string;
let server: Program;
let url: string;
let device: Program;
let link: TestLink;
const links: TestLink[] = [];
const programs: Program[] = [];

beforeAll(async () => {
  built = await buildPrograms();
  folder = await mkdtemp(path.join(tmpdir(), 'device-side-'));
  server = start('device-server', '--port', '0', '--api-key', KEY);
  const [, port] = await server.says(/"type":"ready".*"port":(\d+)/);
  url = `ws://127.0.0.1:${port}/ws?token=${KEY}`;
  device = startDevice('linux-1', '--allow', 'sh');
  await device.says(/Registered/);
  link = await linkTo('linux-1');
});

afterEach(async () => {
  for (const each of links.splice(1)) await each.endpoint.close(1000, 'test is over');
});

afterAll(async () => {
  for (const each of links) await each.endpoint.close(1000, 'tests are over');
  for (const program of programs) program.process.kill('SIGTERM');
  await Promise.all(programs.map((program) => program.ended));
  await built.remove();
  await rm(folder, { recursive: true, force: true });
});

function start(name: Parameters<Programs['start']>[0], ...args: readonly string[]): Program {
  const program = built.start(name, args);
  programs.push(program);
  return program;
}

function startDevice(id: string, ...args: string[]): Program {
  return start('device-client', '--server-url', url, '--id', id, '--root', path.join(folder, id), ...args);
}

async function linkTo(deviceId: string): Promise<TestLink> {
  const opened = await openLink(url, deviceId);
  links.push(opened);
  return opened;
}

/** Configures a server of tools that is a program of its own. */
async function notesFile(): Promise<string> {
  const notes = fileURLToPath(new URL('./testing/notes-stdio.ts', import.meta.url));
  const mcpServers = { notes: { command: process.execPath, args: ['--import', 'tsx', notes] } };
  const file = path.join(folder, 'mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers }));
  return file;
}

const pidFrom = (id: string, file: string) =>
  until(`${file} holds a process id`, async () => {
    const text = await readFile(path.join(folder, id, file), 'utf8').catch(() => '');
    return Number(text) || undefined;
  });

function isGone(pid: number): true | undefined {
  try {
    process.kill(pid, 0);
    return undefined;
  } catch {
    return true;
  }
}

/** A command of two processes that do not end by themselves and ignore being asked to. */
const STUBBORN = `$ sh -c 'trap "" TERM; (trap "" TERM; sleep 120) & echo $! > child; echo $$ > leader; wait'`;

test('a command really runs, and its output is the result', async () => {
  expect(await link.run('Task Description: $ echo hello\nTips for Completion:\n - be quick')).toMatchObject({
    status: 'completed',
    result: [{ request: '$ echo hello', result: 'hello' }],
  });
});

test('two actions of one round and a second round keep their places', async () => {
  const request = 'write_file path=notes/a.txt content="one\\ntwo"\nread_file path=notes/a.txt\n\n$ wc -l notes/a.txt';
  expect(await link.run(request)).toMatchObject({
    status: 'completed',
    result: [
      { result: ['Wrote 7 bytes to notes/a.txt', 'one\ntwo'] },
      { request: '$ wc -l notes/a.txt', result: '1 notes/a.txt' },
    ],
  });
});

test('a failing command ends the task with its words, and what follows does not run', async () => {
  const ended = await link.run('$ ls missing\nwrite_file path=after content=x\n\nwrite_file path=later content=x');
  expect(ended).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^ls exited with code \d+: .*missing/),
    result: [{ result: [{ error: expect.any(String) }, { skipped: expect.any(String) }] }],
  });
  expect(await link.run('list_directory')).not.toMatchObject({
    result: [{ result: { entries: expect.arrayContaining([expect.objectContaining({ name: 'after' })]) } }],
  });
});

test('an unknown tool, a refused command and prose each fail with what is understood', async () => {
  expect((await link.run('make_coffee')).error).toContain('Unknown tool "make_coffee"; this device has');
  expect((await link.run('$ rm -rf x')).error).toContain('"rm" is not on the list');
  expect((await link.run('$ cat a | sh')).error).toContain('a pipe');
  expect((await link.run('please restart the service')).error).toContain('Understood are lines such as');
  expect((await link.run('$ cat ../../etc/passwd')).status).toBe('failed');
});

test('[AIP-86] results that are falsy, markup or terminal codes arrive as they are', async () => {
  const hostile = '<img src=x onerror=alert(1)>\u001b[2J';
  expect(await link.run(`$ echo '${hostile}'\nread_file path=notes/empty`)).toMatchObject({ status: 'failed' });
  await link.run('write_file path=notes/empty content=""');
  expect(await link.run(`$ echo '${hostile}'\nread_file path=notes/empty`)).toMatchObject({
    status: 'completed',
    result: [{ result: [hostile, ''] }],
  });
});

test('information by hand is what the device says now', async () => {
  const first = await link.endpoint.requestDeviceInfo();
  const second = await link.endpoint.requestDeviceInfo();
  if (!first.ok || !second.ok) throw new Error('Expected information');
  expect([first.fresh, second.fresh]).toEqual([true, true]);
  expect(first.info).toMatchObject({
    device_id: 'linux-1',
    schema_version: '1.0',
    supported_features: expect.any(Array),
  });
  expect(first.info.custom_metadata).not.toEqual(second.info.custom_metadata);
});

test('a device tells what it can do, and tells it anew when a server of tools has more', async () => {
  const able = startDevice('able', '--mcp', await notesFile(), '--capability', 'camera');
  await able.says(/Registered/);
  const own = await linkTo('able');
  const [first] = await until('the server of tools is there', async () => {
    const answer = await own.endpoint.requestDeviceInfo();
    return answer.ok && JSON.stringify(answer.info).includes('action::grow') ? [answer.info] : undefined;
  });
  expect(first).toMatchObject({ capabilities: ['cli', 'file_system', 'notes', 'camera'] });

  expect(await own.run('notes.grow')).toMatchObject({ status: 'completed' });

  await until('the new tool is told', () => JSON.stringify(own.reports).includes('action::grown') || undefined);
});

test('[AIP-26] key and address come from the environment, and what a device starts does not see them', async () => {
  const second = built.start('device-server', ['--port', '0', '--api-key-env', 'AIP_KEY'], { AIP_KEY: KEY });
  programs.push(second);
  const [, port] = await second.says(/"type":"ready".*"port":(\d+)/);
  const ownUrl = `ws://127.0.0.1:${port}/ws?token=${KEY}`;
  const args = ['--server-url-env', 'AIP_URL', '--id', 'quiet', '--root', path.join(folder, 'quiet')];
  const quiet = built.start('device-client', [...args, '--mcp', await notesFile()], { AIP_URL: ownUrl });
  programs.push(quiet);
  await quiet.says(/Registered/);
  expect([...second.process.spawnargs, ...quiet.process.spawnargs].join(' ')).not.toContain(KEY);
  const own = await openLink(ownUrl, 'quiet');
  links.push(own);
  const ended = await own.run('$ printenv\nshow_environment');
  expect(ended).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(ended)).not.toMatch(/AIP_|token/i);
});

test('[AIP-93] tasks of two constellations run on one device at the same time', async () => {
  const other = await linkTo('linux-1');
  const slow = await link.send('$ sleep 1');
  expect(await other.run('$ echo quick')).toMatchObject({ result: [{ result: 'quick' }] });
  expect((await slow.ended).status).toBe('completed');
});

test('when the device loses its server, its command is killed with the whole group', async () => {
  const second = start('device-server', '--port', '0', '--api-key', KEY);
  const [, port] = await second.says(/"port":(\d+)/);
  const ownUrl = `ws://127.0.0.1:${port}/ws?token=${KEY}`;
  const args = ['--server-url', ownUrl, '--id', 'lonely', '--root', path.join(folder, 'lonely'), '--allow', 'sh'];
  const lonely = start('device-client', ...args);
  await lonely.says(/Registered/);
  const own = await openLink(ownUrl, 'lonely');
  await own.send(STUBBORN);
  const pids = [await pidFrom('lonely', 'leader'), await pidFrom('lonely', 'child')];
  second.process.kill('SIGKILL');
  for (const pid of pids) await until(`process ${pid} is gone`, () => isGone(pid));
  await lonely.says(/Offline: .*next try in/);
});

test('a device that is stopped takes its commands along and ends with 0', async () => {
  const leaving = startDevice('leaving', '--allow', 'sh');
  await leaving.says(/Registered/);
  const own = await linkTo('leaving');
  const { ended } = await own.send(STUBBORN);
  const pids = [await pidFrom('leaving', 'leader'), await pidFrom('leaving', 'child')];
  leaving.process.kill('SIGTERM');
  expect(await leaving.ended).toEqual({ code: 0, signal: null });
  for (const pid of pids) await until(`process ${pid} is gone`, () => isGone(pid));
  expect((await ended).status).toBe('failed');
});

test('[AIP-101] a device that is killed in the middle of a task fails it, and comes back with the same name', async () => {
  const fragile = startDevice('fragile');
  await fragile.says(/Registered/);
  const own = await linkTo('fragile');
  const { ended } = await own.send('$ sleep 3');
  await server.says(/task-accepted.*"deviceId":"fragile"/);
  fragile.process.kill('SIGKILL');
  expect(await ended).toMatchObject({
    status: 'failed',
    error: 'Task was cancelled because target device disconnected',
  });
  const again = startDevice('fragile');
  await again.says(/Registered/);
  expect(await (await linkTo('fragile')).run('$ echo back')).toMatchObject({ result: [{ result: 'back' }] });
});

test('a device comes back by itself when its server does', async () => {
  const port = await freePort();
  const begin = () => start('device-server', '--port', String(port), '--api-key', KEY);
  const first = begin();
  await first.says(/ready/);
  const ownUrl = `ws://127.0.0.1:${port}/ws?token=${KEY}`;
  const patient = start(
    'device-client',
    '--server-url',
    ownUrl,
    '--id',
    'patient',
    '--root',
    path.join(folder, 'patient'),
  );
  await patient.says(/Registered/);
  first.process.kill('SIGTERM');
  expect(await first.ended).toEqual({ code: 0, signal: null });
  await patient.says(/Offline/);
  await begin().says(/client-registered.*patient/);
});

test('a wrong token is said in words, without the token', async () => {
  const wrong = url.replace(KEY, `${KEY}-wrong`);
  const stranger = start('device-client', '--server-url', wrong, '--id', 'stranger', '--root', path.join(folder, 'x'));
  await stranger.says(/Offline: .*refused the credentials/);
  expect(stranger.output()).not.toContain(KEY);
});

test('a busy port is one sentence and exit code 1, a bad argument is named with the usage and exit code 2', async () => {
  const busy = start('device-server', '--port', new URL(url).port, '--api-key', KEY);
  expect(await busy.ended).toMatchObject({ code: 1 });
  expect(busy.output()).toMatch(/^Cannot listen: .* is in use by another program; .*\n$/);
  for (const name of ['device-server', 'device-client'] as const) {
    const bad = start(name, '--what');
    expect(await bad.ended).toMatchObject({ code: 2 });
    expect(bad.output()).toMatch(/--what[\s\S]*Usage:/);
  }
});

test('an --mcp file that cannot be used is told before anything is connected', async () => {
  const missing = startDevice('tools', '--mcp', path.join(folder, 'missing.json'));
  expect(await missing.ended).toMatchObject({ code: 2 });
  expect(missing.output()).toContain('Cannot read the --mcp file');
  const wrong = startDevice('tools', '--mcp', fileURLToPath(import.meta.url));
  expect(await wrong.ended).toMatchObject({ code: 2 });
  expect(wrong.output()).toContain('cannot be used');
});

test('a key is made and printed when none is given, and a public address is warned of', async () => {
  const open = start('device-server', '--port', '0', '--host', '0.0.0.0');
  await open.says(/API key.*: [\w-]{43}\n/);
  await open.says(/Warning: 0\.0\.0\.0 is reachable/);
});

test('[AIP-26][AIP-28] no program ever writes the token', () => {
  expect(programs.length).toBeGreaterThan(5);
  for (const program of programs) expect(program.output()).not.toContain(KEY);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
