import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createNotesServer } from '@/relay/device-client/testing/notes-server';
import { until } from '@/relay/device-client/testing/programs';
import { createNodeClock } from '@/relay/net/node-clock';
import { connectInProcess, connectToolServer } from './connect-tool-server';
import type { ToolServerConfig } from './mcp-config';
import { type CallContext, createToolBox, type ToolBox } from './tool-box';
import { createToolServerLink } from './tool-server';

const clock = createNodeClock();
const closings: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const STDIO: ToolServerConfig = {
  name: 'notes',
  kind: 'stdio',
  command: process.execPath,
  args: ['--import', 'tsx', fileURLToPath(new URL('../testing/notes-stdio.ts', import.meta.url))],
  env: { GIVEN: '1' },
  folder: undefined,
};

function boxOf(...configs: readonly ToolServerConfig[]): ToolBox {
  const builtin = createToolServerLink({
    name: 'device',
    connect: () => connectInProcess(createNotesServer()),
    clock,
    logger: silentLogger,
  });
  const others = configs.map((config) =>
    createToolServerLink({
      name: config.name,
      connect: () => connectToolServer(config, silentLogger),
      clock,
      logger: silentLogger,
    }),
  );
  const box = createToolBox([builtin, ...others]);
  closings.push(() => box.close());
  return box;
}

function call(
  box: ToolBox,
  tool_name: string,
  change: { readonly parameters?: JsonObject } & Partial<CallContext> = {},
): Promise<CommandResult> {
  const { parameters = {}, ...context } = change;
  return box.execute(
    { tool_name, tool_type: 'action', parameters },
    { signal: new AbortController().signal, ...context },
  );
}

test('tools of a child process are called, by a full name where another server has the same', async () => {
  const box = boxOf(STDIO);
  expect(await call(box, 'notes.add_note', { parameters: { text: 'milk' } })).toEqual({
    status: 'success',
    result: 'noted milk',
    namespace: 'notes',
  });
  expect(await call(box, 'notes.two_parts')).toMatchObject({ result: ['one', 'two'] });
  expect(await call(box, 'notes.give_zero')).toMatchObject({ result: { count: 0 } });
  expect(await call(box, 'notes.fail')).toMatchObject({ status: 'failure', error: 'it broke' });
  expect(await call(box, 'read_file')).toMatchObject({ namespace: 'device' });
});

test('arguments are checked against the schema that another server tells', async () => {
  const { status, error } = await call(boxOf(STDIO), 'notes.add_note', { parameters: { text: 'x'.repeat(21) } });
  expect(status).toBe('failure');
  expect(error).toMatch(/^notes\.add_note: text: /);
});

test('what a tool of another server says while it works is told line by line', async () => {
  const lines: string[] = [];
  const answer = await call(boxOf(STDIO), 'notes.tell', { onOutput: (line) => lines.push(line) });
  expect(answer).toMatchObject({ result: 'told' });
  expect(lines).toEqual(['a', 'b', 'logged', '{"n":1}', 'c']);
});

test('of two calls of one server each hears its own lines, and neither those that name no call', async () => {
  const box = boxOf(STDIO);
  const abort = new AbortController();
  const others: string[] = [];
  const hanging = call(box, 'notes.hang', { signal: abort.signal, onOutput: (line) => others.push(line) });
  const lines: string[] = [];
  await call(box, 'notes.tell', { onOutput: (line) => lines.push(line) });
  abort.abort();
  await hanging;
  expect(lines).toEqual(['a', 'b', 'c']);
  expect(others).toEqual([]);
});

test('a tool that says nothing is given up when its time is over, and says so', async () => {
  expect(await call(boxOf(STDIO), 'notes.hang', { timeoutMs: 100 })).toEqual({
    status: 'failure',
    error: 'notes.hang timed out after 0.1 s',
    namespace: 'notes',
  });
});

test('a child process inherits nothing but what it was given and what is harmless', async () => {
  const { result } = await call(boxOf(STDIO), 'notes.show_environment');
  expect(String(result).split(' ')).toContain('GIVEN');
  expect(String(result)).not.toMatch(/VITEST|NODE_ENV|TOKEN/);
});

test('a server that ends in a call fails that call and is started again for the next', async () => {
  const box = boxOf(STDIO);
  expect(await call(box, 'notes.leave')).toMatchObject({ status: 'failure' });
  expect(await call(box, 'notes.add_note', { parameters: { text: 'again' } })).toMatchObject({ result: 'noted again' });
});

test('a child may answer with twenty megabytes', async () => {
  const box = boxOf(STDIO);
  const large = await call(box, 'notes.give_much', { parameters: { characters: 20_000_000 } });
  expect(large).toMatchObject({ status: 'success' });
  expect(String(large.result)).toHaveLength(20_000_000);
}, 60_000);

test('a child that answers with more than it may fails that call, which says why, and is started again', async () => {
  const connect = () => connectToolServer(STDIO, silentLogger, 1_000_000);
  const box = createToolBox([createToolServerLink({ name: 'notes', connect, clock, logger: silentLogger })]);
  closings.push(() => box.close());
  const tooLarge = await call(box, 'notes.give_much', { parameters: { characters: 2_000_000 } });
  expect(tooLarge).toMatchObject({ status: 'failure', error: expect.stringContaining('maximum size of 1000000') });
  expect(await call(box, 'notes.add_note', { parameters: { text: 'again' } })).toMatchObject({ result: 'noted again' });
});

test('a server that cannot be started stops nobody else', async () => {
  const box = boxOf({ ...STDIO, name: 'broken', command: '/nowhere/at-all' }, { ...STDIO, name: 'notes' });
  await box.start();
  expect(await call(box, 'notes.add_note', { parameters: { text: 'milk' } })).toMatchObject({ status: 'success' });
});

test('a server that never answers does not hold the end up, and ends with it', async () => {
  const script = 'console.error("here", process.pid); setInterval(() => {}, 1000)';
  const said: string[] = [];
  const logger = { ...silentLogger, debug: (_: string, facts?: object) => said.push(JSON.stringify(facts)) };
  const config: ToolServerConfig = { ...STDIO, name: 'mute', args: ['-e', script] };
  const link = createToolServerLink({ name: 'mute', connect: () => connectToolServer(config, logger), clock, logger });
  const box = createToolBox([link]);
  void box.start();
  const pid = await until('the server runs', () => /here (\d+)/.exec(said.join(' '))?.[1]);
  await box.close();
  await until('the server is gone', () => (isAlive(Number(pid)) ? undefined : true));
});

test('a tool that is called by its full name waits for no other server', async () => {
  const mute = { name: 'mute', connect: () => new Promise<never>(() => {}), clock, logger: silentLogger };
  const notes = { name: 'notes', connect: () => connectInProcess(createNotesServer()), clock, logger: silentLogger };
  const servers = [createToolServerLink({ ...notes, name: 'device' }), createToolServerLink(mute)];
  const box = createToolBox([...servers, createToolServerLink(notes)]);
  expect(await call(box, 'notes.add_note', { parameters: { text: 'milk' } })).toMatchObject({ result: 'noted milk' });
});

test('tools of a server on the network are called with its headers', async () => {
  const seen: unknown[] = [];
  const http = createServer(async (request, response) => {
    seen.push(request.headers.authorization);
    const transport = new StreamableHTTPServerTransport({});
    await createNotesServer().connect(transport as Parameters<ReturnType<typeof createNotesServer>['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  const port = await listen(http);
  const url = `http://127.0.0.1:${port}/mcp`;
  const box = boxOf({ name: 'web', kind: 'http', url, headers: { Authorization: 'Bearer secret' } });
  expect(await call(box, 'web.add_note', { parameters: { text: 'milk' } })).toMatchObject({
    result: 'noted milk',
    namespace: 'web',
  });
  expect(new Set(seen)).toEqual(new Set(['Bearer secret']));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function listen(http: Server): Promise<number> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return (http.address() as AddressInfo).port;
}
