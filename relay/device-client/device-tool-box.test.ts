import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createDeviceToolBox } from './device-tool-box';
import { createDiskProbe } from './disk-probe';
import type { CallContext, ToolBox } from './mcp/tool-box';
import { readSystemInfo } from './system-info';
import { commandPolicyOf } from './tools/command-policy';
import { openRootFolder } from './tools/root-folder';
import { createProcessGroups } from './tools/run-process';

let outer: string;
let rootPath: string;
let box: ToolBox;

beforeEach(async () => {
  outer = await mkdtemp(path.join(tmpdir(), 'tool-box-'));
  await writeFile(path.join(outer, 'secret.txt'), 'hidden words');
  box = await openBox({});
});

afterEach(async () => {
  await box.close();
  await rm(outer, { recursive: true, force: true });
});

async function openBox({ allowedCommands = [] }: { allowedCommands?: string[] }): Promise<ToolBox> {
  const clock = createNodeClock();
  const root = await openRootFolder(path.join(outer, 'root'));
  rootPath = root.realPath;
  const disk = createDiskProbe({ folder: rootPath, clock });
  return createDeviceToolBox({
    root,
    processes: createProcessGroups(),
    policy: commandPolicyOf(process.platform, allowedCommands),
    clock,
    toolServers: [],
    environment: { NODE_ENV: 'test', SECRET_TOKEN: 'leak' },
    systemInfo: () => readSystemInfo({ deviceId: 'box', clock, disk, gpus: { read: async () => [] } }),
    logger: silentLogger,
  });
}

function call(tool_name: string, parameters: JsonObject, context: Partial<CallContext> = {}): Promise<CommandResult> {
  const whole = { signal: new AbortController().signal, ...context };
  return box.execute({ tool_name, tool_type: 'action', parameters }, whole);
}

const run = (command: string, ...args: string[]) => call('execute_command', { command, args });

async function resultOf(answer: Promise<CommandResult>) {
  const { status, result, error } = await answer;
  if (status !== 'success') throw new Error(error ?? status);
  return result;
}

async function errorOf(answer: Promise<CommandResult>): Promise<string> {
  const { status, error } = await answer;
  expect(status).toBe('failure');
  return error ?? '';
}

test('a command runs for real and its output is the result', async () => {
  expect(await resultOf(run('echo', 'hello', 'two words', '$HOME', '*'))).toBe('hello two words $HOME *');
  expect(await resultOf(run('pwd'))).toBe(rootPath);
});

test('markup and terminal codes in an output are plain data', async () => {
  const hostile = '<script>alert(1)</script>\u001b[31m\u0007';
  expect(await resultOf(run('echo', hostile))).toBe(hostile);
});

test('a command that fails is a failure with its code and its words', async () => {
  const error = await errorOf(run('ls', 'missing'));
  expect(error).toMatch(/^ls exited with code \d+: .*missing/);
});

test('that grep finds nothing is an answer, that it cannot read is a failure', async () => {
  await call('write_file', { path: 'a.log', content: 'fine\n' });
  expect(await resultOf(run('grep', '-c', 'ERROR', 'a.log'))).toBe('0');
  expect(await errorOf(run('grep', 'ERROR', 'missing.log'))).toContain('missing.log');
});

test('a command sees nothing of the environment of the device client', async () => {
  expect(await resultOf(run('printenv'))).not.toContain('leak');
});

test('what is not on the list, and no path, is run', async () => {
  expect(await errorOf(run('bash', '-c', 'id'))).toContain('not on the list');
  expect(await errorOf(run('/bin/echo', 'x'))).toContain('no command name');
  expect(await errorOf(run('find', '.', '-delete'))).toContain('may not be run this way');
});

test('a command reads nothing outside the root folder', async () => {
  await symlink('../secret.txt', path.join(rootPath, 'leak'));
  const attempts: string[][] = [
    ['cat', '../secret.txt'],
    ['cat', path.join(outer, 'secret.txt')],
    ['cat', 'leak'],
    ['cat', '/etc/passwd'],
    ['cat', '/proc/self/environ'],
    ['grep', '-f../secret.txt', 'x'],
    ['grep', '--file=../secret.txt', 'x'],
    ['grep', '-r', '', '..'],
    ['ls', '/'],
    ['find', '/', '-maxdepth', '1'],
    ['tail', '-n1', '--', '../secret.txt'],
  ];
  for (const [command = '', ...args] of attempts) {
    const error = await errorOf(run(command, ...args));
    expect(error).toContain('leads out of');
    expect(error).not.toContain('hidden words');
  }
  expect(await resultOf(run('grep', '-r', 'hidden', '.'))).toBe('');
});

test('a separator is no path', async () => {
  await call('write_file', { path: 'a', content: 'one/two\n' });
  expect(await resultOf(run('cut', '-d/', '-f2', 'a'))).toBe('two');
  expect(await resultOf(run('cut', '-d', '/', '-f2', 'a'))).toBe('two');
});

test('what the owner allows runs without these limits', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['cat'] });
  expect(await resultOf(run('cat', '../secret.txt'))).toBe('hidden words');
});

test('a command that takes too long is stopped and says so', async () => {
  expect(await errorOf(call('execute_command', { command: 'sleep', args: ['30'], timeout_seconds: 0.2 }))).toBe(
    'sleep timed out after 0.2 s and was stopped',
  );
});

test('the shorter of two limits ends a command', async () => {
  const order = { command: 'sleep', args: ['30'], timeout_seconds: 20 };
  expect(await errorOf(call('execute_command', order, { timeoutMs: 300 }))).toBe(
    'sleep timed out after 0.3 s and was stopped',
  );
  const short = { ...order, timeout_seconds: 0.2 };
  expect(await errorOf(call('execute_command', short, { timeoutMs: 60_000 }))).toBe(
    'sleep timed out after 0.2 s and was stopped',
  );
});

test('lines of a command are told while it runs, in whole characters and with its last words', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['sh'] });
  const lines: string[] = [];
  const half = `printf 'gr\\303'; sleep 0.2; printf '\\274n\\r\\n'; printf '\\377\\000' >&2; sleep 0.1; printf end`;
  const order = { command: 'sh', args: ['-c', half] };
  await resultOf(call('execute_command', order, { onOutput: (line) => lines.push(line) }));
  expect(lines.filter((line) => !line.startsWith('\uFFFD'))).toEqual(['grün', 'end']);
  expect(lines).toContain('\uFFFD\uFFFD');
});

test('a process that left its group holds neither the answer nor the lines back', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['sh'] });
  const lines: string[] = [];
  const script = 'if command -v setsid > /dev/null; then setsid sleep 5 & fi; echo done';
  const order = { command: 'sh', args: ['-c', script] };
  const answer = call('execute_command', order, { onOutput: (line) => lines.push(line) });
  expect(await resultOf(answer)).toBe('done');
  expect(lines).toEqual(['done']);
});

test('cancelling takes the whole process group away', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['sh'] });
  const abort = new AbortController();
  const script = 'trap "" TERM; (trap "" TERM; sleep 60) & echo $! > child; echo $$ > leader; wait';
  const answer = call('execute_command', { command: 'sh', args: ['-c', script] }, { signal: abort.signal });
  await until(async () => (await resultOf(call('read_file', { path: 'leader' }))) !== '');
  const pids = [await pidIn('leader'), await pidIn('child')];
  expect(pids.every(isAlive)).toBe(true);
  abort.abort();
  await answer;
  await until(async () => !pids.some(isAlive));
});

test('a child that holds the output open does not hold the answer', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['sh'] });
  expect(await resultOf(run('sh', '-c', 'sleep 60 & echo done'))).toBe('done');
});

test('much output is cut with a note', async () => {
  const text = await resultOf(run('seq', '1', '200000'));
  expect(String(text)).toMatch(/^1\n2\n[\s\S]*\n\[cut: \d+ more bytes\]$/);
  expect(String(text).length).toBeLessThan(300_000);
});

test('files are written, listed and read back', async () => {
  expect(await resultOf(call('write_file', { path: 'notes/a.txt', content: 'grüße\n' }))).toBe(
    'Wrote 8 bytes to notes/a.txt',
  );
  expect(await resultOf(call('read_file', { path: 'notes/a.txt' }))).toBe('grüße\n');
  expect(await resultOf(call('list_directory', {}))).toMatchObject({ entries: [{ name: 'notes', type: 'folder' }] });
  expect(await resultOf(call('list_directory', { path: 'notes' }))).toMatchObject({
    entries: [{ name: 'a.txt', type: 'file', size_bytes: 8 }],
  });
});

test('a file is read part by part without splitting a character', async () => {
  await call('write_file', { path: 'a', content: 'aé€b' });
  expect(await resultOf(call('read_file', { path: 'a', limit: 2 }))).toMatchObject({ content: 'a', next_offset: 1 });
  expect(await resultOf(call('read_file', { path: 'a', offset: 1, limit: 4 }))).toMatchObject({
    content: 'é',
    next_offset: 3,
  });
  expect(await resultOf(call('read_file', { path: 'a', offset: 3 }))).toEqual({
    path: 'a',
    content: '€b',
    encoding: 'text',
    offset: 3,
    size_bytes: 7,
  });
});

test('bytes travel as base64', async () => {
  await call('write_file', { path: 'b', content: '/wD+', encoding: 'base64' });
  expect(await errorOf(call('read_file', { path: 'b' }))).toContain('encoding=base64');
  expect(await resultOf(call('read_file', { path: 'b', encoding: 'base64' }))).toBe('/wD+');
  expect(await errorOf(call('write_file', { path: 'b', content: '??', encoding: 'base64' }))).toContain('no base64');
});

test('file tools stay in the root folder and never name it', async () => {
  for (const path of ['../secret.txt', '/etc/passwd', 'a\0b']) {
    for (const tool of ['read_file', 'write_file', 'list_directory']) {
      const error = await errorOf(call(tool, { path, ...(tool === 'write_file' && { content: 'x' }) }));
      expect(error).not.toContain(outer);
    }
  }
});

test('a pipe in the root folder holds nobody up', async () => {
  await box.close();
  box = await openBox({ allowedCommands: ['mkfifo'] });
  await resultOf(run('mkfifo', 'pipe'));
  expect(await errorOf(call('read_file', { path: 'pipe' }))).toContain('is no file');
});

test('the system is described as it is now', async () => {
  const info = await resultOf(call('get_system_info', {}));
  expect(info).toMatchObject({ device_id: 'box', schema_version: '1.0', cpu_count: expect.any(Number) });
  expect(info).toHaveProperty('custom_metadata.collected_at');
  expect(info).toHaveProperty('custom_metadata.memory_free_gb');
});

test('arguments are checked against the schema of the tool before anything runs', async () => {
  expect(await errorOf(call('read_file', {}))).toContain('read_file: path');
  expect(await errorOf(call('write_file', { path: 'a', content: 5 }))).toContain('(write content="…" to give text)');
  expect(await errorOf(call('read_file', { path: 'a', pth: 'b' }))).toMatch(/pth/);
  expect(await errorOf(call('execute_command', { command: 'echo', args: 'x' }))).toContain('args');
});

test('an unknown tool is a failure that names the tools there are', async () => {
  expect(await errorOf(call('reboot', {}))).toBe(
    'Unknown tool "reboot"; this device has execute_command, get_system_info, list_directory, read_file, write_file',
  );
});

test('list_tools describes every tool with its schema', async () => {
  const tools = await resultOf(call('list_tools', {}));
  expect(tools).toMatchObject([
    { tool_key: 'action::execute_command', namespace: 'device', input_schema: { type: 'object' } },
    { tool_name: 'get_system_info', tool_type: 'data_collection' },
    { tool_name: 'list_directory' },
    { tool_name: 'read_file' },
    { tool_name: 'write_file', tool_type: 'action' },
  ]);
});

test.each([
  [{ tool_type: 'action' }, ['execute_command', 'write_file']],
  [{ tool_type: 'data_collection', namespace: 'device' }, ['get_system_info', 'list_directory', 'read_file']],
  [{ namespace: 'other' }, []],
  [{ tool_type: null }, ['execute_command', 'get_system_info', 'list_directory', 'read_file', 'write_file']],
])('list_tools asked for %j, as stock agents ask, tells those only', async (parameters, names) => {
  const tools = names.map((name) => expect.objectContaining({ tool_name: name }));
  expect(await resultOf(call('list_tools', parameters))).toEqual(tools);
});

async function pidIn(file: string): Promise<number> {
  return Number(await resultOf(call('read_file', { path: file })));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('It did not happen within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
