import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import { type JsonObject, type JsonValue, jsonObjectSchema } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createDeviceToolBox } from './device-tool-box';
import { createToolBox, type ToolBox } from './mcp/tool-box';
import { createToolServerLink } from './mcp/tool-server';
import { commandPolicyOf } from './tools/command-policy';
import { openRootFolder } from './tools/root-folder';
import { createProcessGroups } from './tools/run-process';

const clock = createNodeClock();
const TOOLS = ['execute_command', 'get_system_info', 'list_directory', 'read_file', 'write_file'];
let folder: string;
let box: ToolBox;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'command-failures-'));
  box = createDeviceToolBox({
    root: await openRootFolder(path.join(folder, 'root')),
    processes: createProcessGroups(),
    policy: commandPolicyOf(process.platform, []),
    toolServers: [],
    environment: { NODE_ENV: 'test' },
    systemInfo: () => Promise.reject(new Error(`cannot read ${folder}`)),
    clock,
    logger: silentLogger,
  });
});

afterAll(async () => {
  await box.close();
  await rm(folder, { recursive: true, force: true });
});

function call(tool_name: string, parameters: JsonObject = {}, of = box): Promise<CommandResult> {
  return of.execute({ tool_name, tool_type: 'action', parameters }, { signal: new AbortController().signal });
}

/** One value of each kind that JSON has. */
const KINDS: readonly JsonValue[] = [null, true, -1.5, 1e300, 'text', [], ['x'], {}, { nested: [null] }];

test.each(TOOLS)('[AIP-85] bad parameters of %s are failures that name what is wrong', async (name) => {
  await box.start();
  const told = box.tools().find(({ tool_name }) => tool_name === name);
  const properties = jsonObjectSchema.parse(told?.input_schema?.properties ?? {});
  const strange = await call(name, { strange_member: 1 });
  expect(strange).toMatchObject({ status: 'failure', error: expect.stringContaining('strange_member') });
  for (const property of Object.keys(properties)) {
    for (const value of KINDS) {
      const { status, error } = await call(name, { [property]: value });
      if (status === 'failure') expect(error).toMatch(/\w/);
      else expect(status).toBe('success');
    }
  }
});

test.each(['reboot', '__proto__', 'constructor', 'device.', '.read_file', 'read_file ', 'device.device.read_file'])(
  '[AIP-85] the unknown tool %j is a failure',
  async (name) => {
    expect(await call(name)).toMatchObject({ status: 'failure', error: expect.stringContaining('Unknown tool') });
  },
);

test('[AIP-85] a name that is far too long is not repeated as a whole', async () => {
  const { status, error } = await call('x'.repeat(1_000_000));
  expect(status).toBe('failure');
  expect(error?.length).toBeLessThan(1_000);
});

test('[AIP-85] a tool that breaks is a failure without the paths of this machine', async () => {
  const { status, error } = await call('get_system_info');
  expect(status).toBe('failure');
  expect(error).toContain('broke unexpectedly');
  expect(error).not.toContain(folder);
});

test('[AIP-85] whatever a command is, it is answered', async () => {
  const names = fc.oneof(fc.constantFrom(...TOOLS, 'list_tools', 'device.read_file'), fc.string());
  const members = fc.constantFrom('path', 'content', 'encoding', 'offset', 'limit', 'command', 'args', '__proto__');
  await fc.assert(
    fc.asyncProperty(names, fc.dictionary(members, fc.jsonValue()), async (name, parameters) => {
      const result = await call(name, jsonObjectSchema.parse(parameters));
      expect(['success', 'failure']).toContain(result.status);
      if (result.status === 'failure') expect(result.error).not.toBe('');
      JSON.stringify(result);
    }),
    { numRuns: 300 },
  );
});

/** A server of tools that answers calls with whatever it likes. */
function serverAnswering(answer: (id: unknown) => object | undefined): ToolBox {
  const connect = async (): Promise<Transport> => {
    const transport: Transport = {
      start: async () => {},
      close: async () => transport.onclose?.(),
      async send(message) {
        if (!('id' in message) || !('method' in message)) return;
        const reply = (result: unknown) => say({ jsonrpc: '2.0', id: message.id, result });
        if (message.method === 'initialize') {
          const serverInfo = { name: 'odd', version: '1' };
          reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
        } else if (message.method === 'tools/list') reply({ tools: [{ name: 'odd', inputSchema: ODD_SCHEMA }] });
        else say(answer(message.id));
      },
    };
    const say = (message: object | undefined) =>
      queueMicrotask(() => {
        if (message === undefined) void transport.close();
        else transport.onmessage?.(message as Parameters<NonNullable<Transport['onmessage']>>[0]);
      });
    return transport;
  };
  return createToolBox([createToolServerLink({ name: 'odd', connect, clock, logger: silentLogger })]);
}

/** Nobody can check anything against it. */
const ODD_SCHEMA = { type: 'object', $ref: '#/nowhere', properties: { x: { type: 'no-such-type' } } };

test.each<[string, (id: unknown) => object | undefined]>([
  ['dies', () => undefined],
  ['says that it broke', (id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'broke' } })],
  ['answers with what is no answer', (id) => ({ jsonrpc: '2.0', id, result: { content: 'no list' } })],
  ['fails without a word', (id) => ({ jsonrpc: '2.0', id, result: { content: [], isError: true } })],
])('[AIP-85] a server of tools that %s in a call is a failure', async (_, answer) => {
  const odd = serverAnswering(answer);
  const result = await call('odd', {}, odd);
  await odd.close();
  expect(result).toMatchObject({ status: 'failure', namespace: 'odd', error: expect.stringMatching(/\w/) });
});

test('[AIP-85] a server of tools that never answers is a failure when the time is over', async () => {
  const odd = serverAnswering(() => ({ jsonrpc: '2.0', method: 'notifications/nothing' }));
  const { signal } = new AbortController();
  const result = await odd.execute({ tool_name: 'odd', tool_type: 'action' }, { signal, timeoutMs: 100 });
  await odd.close();
  expect(result).toMatchObject({ status: 'failure', error: 'odd timed out after 0.1 s' });
});
