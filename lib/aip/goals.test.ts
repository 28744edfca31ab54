import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConstellationEvent } from '@/lib/aip/endpoints/constellation-endpoint-types';
import type { DeviceClientOptions } from '@/lib/aip/endpoints/device-client-types';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
import type { DeviceManifest } from '@/lib/aip/messages';
import type { ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import { aWorld } from '@/lib/aip/testing/a-world';
import { settle } from '@/lib/aip/testing/fake-clock';
import { openWire } from '@/lib/aip/testing/wire';

/** Runs the words of a request as tools, one round each. */
const wordByWord: TaskAgent = {
  async run({ request, execute }) {
    const said = [];
    for (const toolName of request.split(' ')) {
      const [result] = await execute([{ toolName, parameters: {}, toolType: 'action' }]);
      said.push({ request: toolName, result: result?.result ?? null });
      if (result?.status !== 'success') return { status: 'failed', result: said, error: result?.error ?? 'no result' };
    }
    return { status: 'completed', result: said };
  },
};

/** Tools that end when the test says so, and what they were asked for. */
function heldTools() {
  const running = new Map<string, () => void>();
  const calls: string[] = [];
  const execute: DeviceClientOptions['execute'] = ({ tool_name: tool }) => {
    calls.push(tool);
    return new Promise((resolve) => running.set(tool, () => resolve({ status: 'success', result: tool })));
  };
  return {
    calls,
    execute,
    async finish(tool: string) {
      running.get(tool)?.();
      await settle();
    },
  };
}

const results = (...words: string[]) => words.map((word) => ({ request: word, result: word }));

describe('lasting sessions in both directions', () => {
  test('[AIP-G1] one connection to each side carries tasks, reports and signs of life for a day', async () => {
    const tasksOfDevice: string[] = [];
    const agent: TaskAgent = {
      async run(session) {
        tasksOfDevice.push(session.request);
        return wordByWord.run(session);
      },
    };
    const world = await aWorld({ server: { agent } });
    for (let hour = 0; hour < 24; hour += 1) {
      await world.clock.advance(3_600_000);
      const outcome = world.constellation.sendTaskToDevice('dev-1', { request: `hour ${hour}` });
      expect(await world.device().startTask({ request: `own ${hour}` })).toBe(true);
      expect(await outcome).toMatchObject({ status: 'completed', result: results('hour', String(hour)) });
    }
    await settle();

    expect(tasksOfDevice).toHaveLength(48);
    expect(world.sockets('dev-1')).toHaveLength(1);
    expect(world.sockets('constellation of dev-1')).toHaveLength(1);
    expect(world.events.filter(({ kind }) => kind === 'profile-updated').length).toBeGreaterThan(1_000);
    await world.stop();
  });
});

describe('capabilities are discovered in one way', () => {
  test('[AIP-G2] what operators, tool servers and the machine say is one profile, and a change shows by itself', async () => {
    let manifest: DeviceManifest = { capabilities: ['shell'], osVersion: '12', tools: [] };
    let tellChanged = () => {};
    const world = await aWorld({
      devices: {
        'dev-1': {
          systemInfo: async () => ({ platform: 'linux', supported_features: ['cli'], custom_metadata: { load: 1 } }),
          manifest: async () => manifest,
          onManifestChanged(listener) {
            tellChanged = listener;
            return () => {};
          },
        },
      },
    });
    const operatorSettings = { capabilities: ['paint'], tags: ['lab'] };
    await world.constellation.connectToDevice('dev-1', 'memory:', { operatorSettings });
    const sources = () =>
      world.constellation.profileOf('dev-1')?.capabilities.map(({ value, source }) => `${value} ${source}`);

    expect(sources()).toEqual(['paint operator', 'shell manifest', 'cli telemetry']);
    expect(world.constellation.profileOf('dev-1')).toMatchObject({
      os: { value: 'linux', source: 'telemetry' },
      tags: [{ value: 'lab', source: 'operator' }],
      systemInfo: { os_version: { value: '12' } },
      customMetadata: { load: { value: 1, source: 'telemetry' } },
    });
    manifest = { ...manifest, capabilities: ['shell', 'camera'] };
    tellChanged();
    await world.clock.advance(5_000);
    expect(sources()).toEqual(['paint operator', 'shell manifest', 'camera manifest', 'cli telemetry']);
    await world.stop();
  });

  test('[AIP-G2] a device that knows of no extension is described by what it said when it registered', async () => {
    const world = await aWorld({ devices: { 'dev-1': { extensions: [] } } });

    expect(world.constellation.profileOf('dev-1')).toMatchObject({
      os: { value: 'linux' },
      systemInfo: { hostname: { value: 'dev-1', source: 'telemetry' } },
      reported: { fresh: false },
    });
    await world.stop();
  });
});

describe('reliability in fine grains', () => {
  test('[AIP-G3] a lost connection costs the task that was on it, and nothing else', async () => {
    const tools = heldTools();
    const world = await aWorld({
      server: { agent: wordByWord },
      devices: { 'dev-1': { execute: tools.execute }, 'dev-2': { execute: tools.execute } },
    });
    const lost = world.constellation.sendTaskToDevice('dev-1', { request: 'one' });
    const queued = world.constellation.sendTaskToDevice('dev-1', { request: 'two' });
    const other = world.constellation.sendTaskToDevice('dev-2', { request: 'three' });
    await settle();
    world.cut('constellation of dev-1');
    expect(await lost).toMatchObject({ status: 'failed', errorType: 'device_disconnection' });
    await world.clock.advance(1_000);
    await tools.finish('two');
    await tools.finish('three');

    expect(await queued).toMatchObject({ status: 'completed', result: results('two') });
    expect(await other).toMatchObject({ status: 'completed', result: results('three') });
    expect(world.sockets('dev-1')).toHaveLength(1);
    expect(world.sockets('constellation of dev-2')).toHaveLength(1);
    await world.stop();
  });

  test('[AIP-G3] a lost frame costs its own operation, when its time is over; the connection goes on', async () => {
    let isLosing = true;
    const world = await aWorld({
      server: { agent: wordByWord, timing: { commandMs: 30_000 } },
      devices: {
        'dev-1': {
          middlewares: [
            {
              name: 'hole',
              outgoing(message) {
                if (isLosing && message.type === 'command_results') throw new Error('lost on the way');
                return message;
              },
            },
          ],
        },
      },
    });
    const lost = world.constellation.sendTaskToDevice('dev-1', { request: 'one' });
    const next = world.constellation.sendTaskToDevice('dev-1', { request: 'two' });
    await world.clock.advance(29_000);
    expect(world.events.map(({ kind }) => kind)).not.toContain('task-ended');
    isLosing = false;
    await world.clock.advance(2_000);

    expect(await lost).toMatchObject({ status: 'failed', errorType: 'execution_error' });
    expect(await next).toMatchObject({ status: 'completed', result: results('two') });
    expect(world.sockets('dev-1')).toHaveLength(1);
    expect(world.sockets('constellation of dev-1')).toHaveLength(1);
    await world.stop();
  });

  test('[AIP-G3] each task has a time of its own: one that is late is stopped on its device, the next one runs', async () => {
    const stopped: string[] = [];
    const world = await aWorld({
      server: { agent: wordByWord },
      devices: {
        'dev-1': {
          execute: ({ tool_name: tool }, { cancellation }) =>
            new Promise((resolve) => {
              cancellation.onCancelled(() => stopped.push(tool));
              if (tool !== 'endless') resolve({ status: 'success', result: tool });
            }),
        },
      },
    });
    const late = world.constellation.sendTaskToDevice('dev-1', { request: 'endless', timeoutMs: 3_000 });
    const next = world.constellation.sendTaskToDevice('dev-1', { request: 'quick', timeoutMs: 3_000 });
    await world.clock.advance(6_000);

    expect(await late).toMatchObject({ status: 'failed', errorType: 'timeout' });
    expect(await next).toMatchObject({ status: 'completed', result: results('quick') });
    expect(stopped).toEqual(['endless']);
    await world.stop();
  });
});

describe('the order inside a session', () => {
  const story = (events: readonly ConstellationEvent[], taskId: string) =>
    events.flatMap((event) => {
      if (!('taskId' in event) || event.taskId !== taskId) return [];
      return event.kind === 'task-log' ? event.messages : [event.kind];
    });

  test('[AIP-G4] is the same each time: sent, accepted, each line as it was put out, the end', async () => {
    const calls: string[] = [];
    const world = await aWorld({
      server: { agent: wordByWord },
      devices: {
        'dev-1': {
          async execute({ tool_name: tool }, { onOutput }) {
            calls.push(tool);
            for (const line of ['begins', 'ends']) onOutput(`${tool} ${line}`);
            return { status: 'success', result: tool };
          },
        },
      },
    });
    const stories: (readonly string[])[] = [];
    for (const taskId of ['first', 'second']) {
      const ended = world.constellation.sendTaskToDevice('dev-1', { request: 'a b c', taskId });
      await world.clock.advance(1_000);
      expect(await ended).toMatchObject({ status: 'completed', result: results('a', 'b', 'c') });
      stories.push(story(world.events, taskId));
    }
    const lines = ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'];

    expect(stories[0]).toEqual(['task-sent', 'task-accepted', ...lines, 'task-ended']);
    expect(stories[1]).toEqual(stories[0]);
    expect(calls).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    await world.stop();
  });

  test('[AIP-G4] holds while sessions of several requesters run side by side on one device', async () => {
    const tools = heldTools();
    const world = await aWorld({ server: { agent: wordByWord }, devices: { 'dev-1': { execute: tools.execute } } });
    const given = world.constellation.sendTaskToDevice('dev-1', { request: 'a1 a2' });
    await world.device().startTask({ request: 'b1 b2' });
    await settle();
    for (const tool of ['b1', 'b2', 'a1', 'a2']) await tools.finish(tool);

    expect(await given).toMatchObject({ status: 'completed', result: results('a1', 'a2') });
    expect(tools.calls).toEqual(['a1', 'b1', 'b2', 'a2']);
    await world.stop();
  });
});

describe('extensions compose', () => {
  test('[AIP-G5] middlewares, message types and agreed extensions work together on one connection', async () => {
    const passed: string[] = [];
    const weather: number[] = [];
    const serverSide: ServerProtocol[] = [];
    const world = await aWorld({
      server: { agent: wordByWord, onProtocol: (protocol) => serverSide.push(protocol) },
      constellation: {
        middlewares: [
          {
            name: 'signature',
            outgoing: (message) => ({ ...message, metadata: { ...message.metadata, signed: 'yes' } }),
          },
          {
            name: 'ledger',
            outgoing(message) {
              passed.push(`${message.type} signed ${message.metadata?.signed}`);
              return message;
            },
          },
        ],
        onProtocol: (protocol) =>
          protocol.onCustom('weather', z.object({ degrees: z.number() }), ({ degrees }) => void weather.push(degrees)),
      },
    });
    for (const protocol of serverSide) await protocol.sendCustom({ type: 'weather', degrees: 21 });
    const ended = world.constellation.sendTaskToDevice('dev-1', { request: 'a', timeoutMs: 5_000 });
    await settle();

    expect(await ended).toMatchObject({ status: 'completed' });
    expect(weather).toEqual([21]);
    expect(passed).toEqual(['register signed yes', 'device_info_request signed yes', 'task signed yes']);
    expect(world.device().isConnected()).toBe(true);
    await world.stop();
  });

  test('[AIP-G5] names that nobody knows are passed over, and a peer without any loses nothing', async () => {
    const world = await aWorld({
      server: { agent: wordByWord },
      devices: { 'dev-1': {}, 'stock-1': { extensions: [] } },
    });
    const curious = openWire((transport) => void world.server.handleWebSocket(transport));
    await curious.say({
      type: 'register',
      status: 'ok',
      client_type: 'constellation',
      client_id: 'curious',
      target_id: 'dev-1',
      metadata: { extensions: ['teleport', 'log', 7, null] },
    });
    await settle();
    expect(curious.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok', result: { extensions: ['log'] } }]);
    const ended = world.constellation.sendTaskToDevice('stock-1', { request: 'a b', timeoutMs: 5_000 });
    await settle();

    expect(await ended).toMatchObject({ status: 'completed', result: results('a', 'b') });
    await world.stop();
  });
});

describe('a connection may break and come back', () => {
  test('[AIP-G6] a device’s is cut in the middle of its commands: each runs once, and the task goes on', async () => {
    const tools = heldTools();
    const world = await aWorld({ server: { agent: wordByWord }, devices: { 'dev-1': { execute: tools.execute } } });
    const ended = world.constellation.sendTaskToDevice('dev-1', { request: 'a b c' });
    await settle();
    world.cut('dev-1');
    await settle();
    await tools.finish('a');
    await world.clock.advance(1_000);
    world.cut('dev-1');
    await world.clock.advance(1_000);
    await tools.finish('b');
    await tools.finish('c');

    expect(await ended).toMatchObject({ status: 'completed', result: results('a', 'b', 'c') });
    expect(tools.calls).toEqual(['a', 'b', 'c']);
    expect(world.sockets('dev-1')).toHaveLength(3);
    expect(world.sockets('constellation of dev-1')).toHaveLength(1);
    expect(world.events.map(({ kind }) => kind)).not.toContain('device-disconnected');
    await world.stop();
  });

  test('[AIP-G6] the constellation’s is cut: what ran is stopped and said to be lost, what waited is done', async () => {
    const stopped: string[] = [];
    const world = await aWorld({
      server: { agent: wordByWord },
      devices: {
        'dev-1': {
          execute: ({ tool_name: tool }, { cancellation }) =>
            new Promise((resolve) => {
              cancellation.onCancelled(() => stopped.push(tool));
              if (tool !== 'endless') resolve({ status: 'success', result: tool });
            }),
        },
      },
    });
    const lost = world.constellation.sendTaskToDevice('dev-1', { request: 'endless' });
    const waiting = ['x', 'y', 'z'].map((request) => world.constellation.sendTaskToDevice('dev-1', { request }));
    await settle();
    world.cut('constellation of dev-1');
    await world.clock.advance(2_000);

    expect(await lost).toMatchObject({ status: 'failed', errorType: 'device_disconnection' });
    expect(stopped).toEqual(['endless']);
    for (const ended of waiting) expect(await ended).toMatchObject({ status: 'completed' });
    const order = world.events.flatMap((event) => (event.kind === 'task-ended' ? [event.outcome.result] : []));
    expect(order.slice(1)).toEqual([results('x'), results('y'), results('z')]);
    await world.stop();
  });
});
