import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import type { DeviceManifest } from '@/lib/aip/messages';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createDeviceManifest, type DeviceManifestSource } from './device-manifest';
import { connectInProcess, connectToolServer } from './mcp/connect-tool-server';
import type { ToolServerConfig } from './mcp/mcp-config';
import { createToolBox, type ToolBox } from './mcp/tool-box';
import { createToolServerLink } from './mcp/tool-server';
import { createNotesServer } from './testing/notes-server';
import { until } from './testing/programs';

const clock = createNodeClock();
const closings: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const STDIO: ToolServerConfig = {
  name: 'notes',
  kind: 'stdio',
  command: process.execPath,
  args: ['--import', 'tsx', fileURLToPath(new URL('./testing/notes-stdio.ts', import.meta.url))],
  env: {},
  folder: undefined,
};

function aDevice({ servers = [] }: { readonly servers?: readonly ToolServerConfig[] } = {}): {
  manifest: DeviceManifestSource;
  box: ToolBox;
} {
  const common = { clock, logger: silentLogger, returnMs: 50, pingMs: 50 };
  const links = [
    createToolServerLink({ ...common, name: 'device', connect: () => connectInProcess(createNotesServer()) }),
    ...servers.map((config) =>
      createToolServerLink({ ...common, name: config.name, connect: () => connectToolServer(config, silentLogger) }),
    ),
  ];
  const box = createToolBox(links);
  closings.push(() => box.close());
  return { manifest: manifestOf(box), box };
}

function manifestOf(box: ToolBox, warn: (what: string) => void = () => {}): DeviceManifestSource {
  return createDeviceManifest({
    box,
    gpus: { read: async () => [{ name: 'Test GPU' }] },
    commandCount: 1,
    addedCapabilities: ['camera'],
    clock,
    logger: { ...silentLogger, warn },
  });
}

const namesOf = ({ tools }: DeviceManifest) => tools.map(({ tool_name }) => tool_name);

const call = (box: ToolBox, tool_name: string) =>
  box.execute({ tool_name, tool_type: 'action' }, { signal: new AbortController().signal });

/** Waits for a change after which the manifest is as wanted. */
async function becomes(manifest: DeviceManifestSource, isWanted: (now: DeviceManifest) => boolean): Promise<void> {
  let changes = 0;
  const forget = manifest.onChanged(() => {
    changes += 1;
  });
  await until('a change is told and the manifest is as wanted', async () => {
    return changes > 0 && isWanted(await manifest.read()) ? true : undefined;
  });
  forget();
}

test('a device tells its capabilities, its system and the tools of all its servers', async () => {
  const { manifest } = aDevice({ servers: [STDIO] });
  const told = await manifest.read();
  expect(told.capabilities).toEqual(['file_system', 'gpu', 'notes', 'camera']);
  expect(told.osVersion).not.toBe('');
  expect(told.tools).toContainEqual(
    expect.objectContaining({
      tool_key: 'action::notes.add_note',
      tool_name: 'notes.add_note',
      namespace: 'notes',
      tool_type: 'action',
      input_schema: expect.objectContaining({ type: 'object' }),
    }),
  );
  expect(new Set(told.tools.map(({ namespace }) => namespace))).toEqual(new Set(['device', 'notes']));
});

test('a tool that a server adds later is told', async () => {
  const { manifest, box } = aDevice({ servers: [STDIO] });
  await manifest.read();
  const told = becomes(manifest, (now) => namesOf(now).includes('grown'));
  await call(box, 'notes.grow');
  await told;
});

test('the tools of a server that ends are gone, and there again when it has come back by itself', async () => {
  const { manifest, box } = aDevice({ servers: [STDIO] });
  await manifest.read();
  const seen: boolean[] = [];
  manifest.onChanged(() => seen.push(box.serversUp().includes('notes')));
  expect(await call(box, 'notes.leave')).toMatchObject({ status: 'failure' });
  await until('it went and came back', () => (seen.includes(false) && seen.at(-1)) || undefined);
  expect((await manifest.read()).capabilities).toContain('notes');
});

test('a server on the network that comes late is told, and that it went, and that it is back', async () => {
  const port = await freePort();
  const { manifest } = aDevice({
    servers: [{ name: 'web', kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} }],
  });
  const hasWeb = (now: DeviceManifest) => now.capabilities.includes('web');
  expect(hasWeb(await manifest.read())).toBe(false);

  const came = becomes(manifest, hasWeb);
  const stop = await serveNotes(port);
  await came;
  const went = becomes(manifest, (now) => !hasWeb(now));
  await stop();
  await went;
  const returned = becomes(manifest, hasWeb);
  await serveNotes(port);
  await returned;
});

test('a list that is too long is told shorter, and the log says so once', async () => {
  const warned: string[] = [];
  const { box } = aDevice();
  await box.start();
  const long = box.tools().map((tool) => ({ ...tool, description: 'd'.repeat(300_000) }));
  const manifest = manifestOf({ ...box, tools: () => long }, (what) => warned.push(what));
  const told = await manifest.read();
  expect(namesOf(told)).toEqual(long.map(({ tool_name }) => tool_name));
  expect(told.tools.some((tool) => 'description' in tool)).toBe(false);
  await manifest.read();
  expect(warned).toEqual(['tools-too-long']);
});

async function serveNotes(port: number): Promise<() => Promise<void>> {
  const http = createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await createNotesServer().connect(transport as Parameters<ReturnType<typeof createNotesServer>['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const stop = () => closed(http);
  closings.push(stop);
  return stop;
}

function closed(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await closed(probe);
  return port;
}
