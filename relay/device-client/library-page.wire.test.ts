import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildPrograms, type Program, type Programs } from './testing/programs';

const PAGE = fileURLToPath(new URL('../../lib/aip/README.md', import.meta.url));
const PROGRAM = /```ts\n\/\/ ([\w-]+)\.ts\n(.*?)```/gs;
/** A first program that does not fit on a card is not read. */
const LINES_MAX = 20;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const page = await readFile(PAGE, 'utf8');
const texts = new Map([...page.matchAll(PROGRAM)].map(([, name = '', text = '']) => [name, text]));
let programs: Programs;
const running: Program[] = [];
let url: string;

beforeAll(async () => {
  programs = await buildPrograms(Object.fromEntries(texts));
  const server = programs.start('device-server', ['--port', '0', '--api-key', 'my-key']);
  running.push(server);
  const [, port] = await server.says(/"type":"ready".*"port":(\d+)/);
  url = `ws://127.0.0.1:${port}/ws?token=my-key`;
  const device = programs.startText('device', [url]);
  running.push(device);
  await device.says(/registered/);
});

afterAll(async () => {
  for (const { process: child } of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
  await programs.remove();
});

/** Runs a program of the page to its end, which it must come to by itself. */
async function outputOf(name: string): Promise<string> {
  const program = programs.startText(name, [url]);
  expect(await program.ended, program.output()).toEqual({ code: 0, signal: null });
  return program.output();
}

test('the page has four programs, and every block of code is one of them', () => {
  expect([...texts.keys()]).toEqual(['device', 'constellation', 'middleware', 'files']);
  expect(page.match(/```ts\n/g)).toHaveLength(4);
  for (const name of ['device', 'constellation']) {
    const lines = texts
      .get(name)
      ?.split('\n')
      .filter((line) => line !== '');
    expect(lines?.length).toBeLessThanOrEqual(LINES_MAX);
  }
});

test('the constellation of the page gives the device of the page a task, and hears it work', async () => {
  const output = await outputOf('constellation');

  expect(output).toContain('The device was asked to greet');
  expect(output).toMatch(/^completed .*Hello, Ada!/m);
});

test('the middleware of the page lets one task through and another not', async () => {
  const lines = (await outputOf('middleware')).trim().split('\n');

  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe('We only greet');
  expect(lines[1]).toContain('Hello, Grace!');
});

test('the server of the page gets the file that the device of the page sends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-page-'));
  try {
    const program = programs.startText('files', [PAGE], { folder });
    expect(await program.ended, program.output()).toEqual({ code: 0, signal: null });

    const sizeBytes = Buffer.byteLength(page);
    expect(program.output()).toContain(`camera has sent received/README.md, ${sizeBytes} bytes`);
    expect(program.output()).toMatch(/^Sent, sha256 [0-9a-f]{64}$/m);
    expect(await readFile(join(folder, 'received', 'README.md'), 'utf8')).toBe(page);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the device of the page stops when it is told to', async () => {
  const device = running.pop();
  device?.process.kill('SIGTERM');

  expect(await device?.ended).toEqual({ code: 0, signal: null });
});
