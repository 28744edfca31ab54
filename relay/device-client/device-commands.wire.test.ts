import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildPrograms, openLink, type Program, type Programs, type TestLink, until } from './testing/programs';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let built: Programs;
let folder: string;
let url: string;
let device: Program;
const programs: Program[] = [];
const links: TestLink[] = [];

beforeAll(async () => {
  built = await buildPrograms();
  folder = await mkdtemp(path.join(tmpdir(), 'device-commands-'));
  const server = start('device-server', '--port', '0', '--api-key', 'a-key');
  const [, port] = await server.says(/"type":"ready".*"port":(\d+)/);
  url = `ws://127.0.0.1:${port}/ws?token=a-key`;
  device = start('device-client', '--server-url', url, '--id', 'one', '--root', folder, '--allow', 'sh,yes');
  await device.says(/Registered/);
});

afterEach(async () => {
  for (const { endpoint } of links.splice(0)) await endpoint.close(1000, 'test is over');
});

afterAll(async () => {
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

async function link(...extensions: Parameters<typeof openLink>[2] & string[]): Promise<TestLink> {
  const opened = await openLink(url, 'one', extensions);
  links.push(opened);
  return opened;
}

/** The arguments of all processes of this machine, by id. */
async function processTable(): Promise<ReadonlyMap<number, string>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args='], { maxBuffer: 16 * 2 ** 20 });
  return new Map(stdout.split('\n').map((row) => [Number.parseInt(row, 10), row.trim().replace(/^\d+\s+/, '')]));
}

/** The processes that a command has begun, told by itself in a file. */
async function processesIn(name: string, count: number): Promise<readonly number[]> {
  return until(`${count} processes are running`, async () => {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
    const ids = text.split('\n').filter((line) => line !== '');
    const table = await processTable();
    return ids.length === count && ids.every((id) => table.has(Number(id))) ? ids.map(Number) : undefined;
  });
}

async function allGone(ids: readonly number[]): Promise<void> {
  await until('the processes are gone', async () => {
    const table = await processTable();
    return ids.some((id) => table.has(id)) ? undefined : true;
  });
}

/** Three processes that do not end by themselves; two of them ignore that they are asked to. */
const stubborn = (file: string) =>
  `$ sh -c 'echo $$ >> ${file}; sleep 600 & echo $! >> ${file}; trap "" TERM; sleep 600 & echo $! >> ${file}; wait; wait'`;

test('a line that a command prints is told while the command still runs', async () => {
  const requester = await link('log');
  let hasEnded = false;
  const { ended } = await requester.send(`$ sh -c 'echo begun; while [ ! -e go-on ]; do sleep 0.1; done; echo done'`);
  void ended.then(() => {
    hasEnded = true;
  });

  await until('the first line is told', () => requester.lines.includes('begun') || undefined);
  expect(hasEnded).toBe(false);
  await writeFile(path.join(folder, 'go-on'), '');

  expect(await ended).toMatchObject({ status: 'completed', result: [{ result: 'begun\ndone' }] });
  expect(requester.lines).toEqual(['begun', 'done']);
});

test('whoever did not ask for lines gets none', async () => {
  const requester = await link('device_info');
  const ended = await requester.run('$ seq 1 3');
  expect(ended).toMatchObject({ status: 'completed', result: [{ result: '1\n2\n3' }] });
  expect(ended.messages).toBeUndefined();
  expect(requester.lines).toEqual([]);
});

test('all that a command printed comes before its end, both streams in order', async () => {
  const requester = await link('log');
  const ended = await requester.run(`$ sh -c 'seq 1 500; sleep 0.2; echo oops >&2; printf last'`);
  expect(ended.status).toBe('completed');
  expect(requester.lines).toEqual([...Array.from({ length: 500 }, (_, index) => `${index + 1}`), 'oops', 'last']);
});

test('a program that prints as fast as it can holds nothing else up', async () => {
  const requester = await link('log', 'cancel', 'device_info');
  const { sessionId, ended } = await requester.send('$ yes orrery-flood');
  await until('lines are told', () => requester.lines.includes('orrery-flood') || undefined);

  expect(await requester.endpoint.requestDeviceInfo()).toMatchObject({ ok: true, fresh: true });
  expect(await requester.run('$ echo meanwhile')).toMatchObject({ result: [{ result: 'meanwhile' }] });
  await requester.endpoint.cancelTask(sessionId);

  expect(await ended).toMatchObject({ status: 'failed' });
  await until('the program is gone', async () =>
    [...(await processTable()).values()].includes('yes orrery-flood') ? undefined : true,
  );
});

test('a command is gone after its task was cancelled', async () => {
  const requester = await link('cancel');
  const { sessionId, ended } = await requester.send(stubborn('cancelled'));
  const ids = await processesIn('cancelled', 3);
  expect([...(await processTable()).values()]).toContain('sleep 600');

  expect(await requester.endpoint.cancelTask(sessionId)).toMatchObject({ ok: true });

  expect(await ended).toMatchObject({ status: 'failed', error: expect.stringContaining('cancelled') });
  await allGone(ids);
});

test('a command is gone after the connection of whoever wanted it was cut', async () => {
  const requester = await link('cancel');
  await requester.send(stubborn('cut'));
  const ids = await processesIn('cut', 3);

  requester.cut();

  await allGone(ids);
});

test('a command is gone after its time is over, and its failure says so', async () => {
  const requester = await link('deadline');
  const { ended } = await requester.send(stubborn('late'), { timeoutSeconds: 2 });
  const ids = await processesIn('late', 3);

  expect(await ended).toMatchObject({
    status: 'failed',
    error: 'The task timed out after 2 s',
    result: { rounds: [{ result: { error: expect.stringMatching(/timed out after [\d.]+ s/) } }] },
  });
  await allGone(ids);
});

test('after all of this the device works on', async () => {
  expect(await (await link('device_info')).run('$ echo well')).toMatchObject({ result: [{ result: 'well' }] });
  expect(device.output()).not.toMatch(/broke|"level":"error"/);
});
