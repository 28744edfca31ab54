import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MessageRefused } from '@/lib/aip/protocol/middleware/middleware';
import type { ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import { DEVICE_SERVER_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import {
  announcing,
  answerTo,
  aPair,
  aServer,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
  type ServerUnderTest,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import { listenOn, openWire } from '@/lib/aip/testing/wire';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { silentLogger } from '@/lib/std/logger';
import type { DeviceServerTiming } from './device-server-types';

describe('handleWebSocket', () => {
  test('[AIP-G1] serves both directions of one connection until its end', async () => {
    const { server, clock } = aServer();
    const [near, far] = createMemoryPair();
    const wire = listenOn(near);
    let isServed = false;
    const serving = server.handleWebSocket(far).then(() => {
      isServed = true;
    });
    await wire.say({ type: 'register', status: 'ok', client_id: 'dev-1', metadata: { platform: 'linux' } });
    for (let hour = 0; hour < 24; hour += 1) {
      await clock.advance(3_600_000);
      await wire.say({ type: 'task', status: 'continue', request: 'one-round' });
      await settle();
      await wire.say(answerTo(wire.last, [{ status: 'success' }]));
      await settle();
    }

    expect(isServed).toBe(false);
    expect(wire.heard().filter(({ type }) => type === 'task_end')).toHaveLength(24);
    await near.close(1000, '');
    await serving;
    expect(server.onlineClients()).toEqual([]);
  });

  test('of a connection that has ended already comes back at once', async () => {
    const { server } = aServer();
    const [near, far] = createMemoryPair();
    near.terminate();
    await server.handleWebSocket(far);
    expect(server.onlineClients()).toEqual([]);
  });

  test('never opens a connection of its own: who is lost must come back by itself', async () => {
    const setup = await aPair();
    setup.device.transport.terminate();
    await setup.clock.advance(3_600_000);
    expect(setup.server.onlineClients()).toEqual(['con-1']);
  });

  test('beyond the connections that a server takes is closed with 1013, and room is made by every end', async () => {
    const setup = aServer({ limits: { connectionsMax: 2 } });
    const first = await joinDevice(setup, 'dev-1');
    await joinDevice(setup, 'dev-2');
    const third = setup.open();
    await settle();
    expect(third.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('try again later') });
    await first.transport.close(1000, '');
    await settle();
    expect(typesOf((await joinDevice(setup, 'dev-3')).heard())).toEqual(['heartbeat']);
  });
});

describe('a peer that has stopped reading', () => {
  /** A connection to a server whose frames arrive nowhere from some point on. */
  function aStuckWire(setup: ServerUnderTest) {
    let isStuck = false;
    const wire = openWire((transport) => {
      const stuck = new Proxy(transport, {
        get(target, member) {
          if (member !== 'send' || !isStuck) return Reflect.get(target, member);
          return () => new Promise(() => {});
        },
      });
      void setup.server.handleWebSocket(stuck);
    });
    return {
      wire,
      stick: () => {
        isStuck = true;
      },
    };
  }

  test('[AIP-102] is cut off after two minutes, which frees its id and fails its tasks', async () => {
    const setup = aServer();
    const { wire, stick } = aStuckWire(setup);
    const device = await joinDevice({ open: () => wire });
    const constellation = await joinConstellation(setup);
    stick();
    await giveTask(constellation, 's');
    await setup.clock.advance(119_000);
    expect(device.transport.state).toBe('connected');
    await setup.clock.advance(2_000);

    expect(setup.server.onlineClients()).toEqual(['con-1']);
    expect(constellation.last).toMatchObject({ type: 'task_end', session_id: 's' });
  });

  test('keeps no device from hearing that the task is over, though its own TASK_END waits behind output', async () => {
    const setup = aServer();
    const device = await joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS);
    const { wire, stick } = aStuckWire(setup);
    await joinConstellation({ open: () => wire }, 'con-1', CONSTELLATION_EXTENSIONS);
    await giveTask(wire, 's');
    stick();
    await device.say({ type: 'heartbeat', status: 'continue', session_id: 's', metadata: { messages: ['a line'] } });
    await settle();
    device.heard();
    expect(await Promise.race([setup.server.cancelDeviceTasks('dev-1', 'maintenance'), settle()])).toBeUndefined();

    expect(device.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: 's' }]);
    await setup.clock.advance(121_000);
    expect(setup.server.onlineClients()).toEqual(['dev-1']);
    expect(await setup.server.cancelDeviceTasks('dev-1', 'again')).toBe(0);
  });

  test('holds up no other: its requester can cancel, and others are served', async () => {
    const setup = aServer();
    const { wire, stick } = aStuckWire(setup);
    await joinDevice({ open: () => wire }, 'dev-1', DEVICE_EXTENSIONS);
    const constellation = await joinConstellation(setup, 'con-1', announcing('cancel'));
    stick();
    await giveTask(constellation, 's');
    await constellation.say({ type: 'task_end', status: 'failed', client_type: 'constellation', session_id: 's' });
    await constellation.say({ type: 'heartbeat', status: 'ok', client_type: 'constellation' });
    await settle();

    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'heartbeat', 'task_end', 'heartbeat']);
  });
});

describe('files', () => {
  const START = { type: 'file_transfer_start', filename: 'a', size: 1, chunk_size: 1, total_chunks: 1 };

  test('are taken by what the user gave, from peers that agreed; frames of theirs reach nobody else', async () => {
    const taken: string[] = [];
    const setup = aServer({
      files: (_protocol, clientId) => ({
        async take(received) {
          const isTheirs = received.kind === 'binary' || received.kind === 'malformed';
          if (isTheirs) taken.push(`${received.kind} of ${clientId}`);
          return isTheirs;
        },
        close: () => void taken.push(`end of ${clientId}`),
      }),
    });
    const device = await joinDevice(setup, 'dev-1', announcing('file'));
    const stock = await joinDevice(setup, 'dev-2');
    expect(device.heard()[0]?.result).toEqual({ extensions: ['file'] });
    stock.heard();
    for (const wire of [device, stock]) {
      await wire.say(START);
      await wire.transport.send(new Uint8Array([1]));
      await settle();
    }
    expect(device.heard()).toEqual([]);
    expect(typesOf(stock.heard())).toEqual(['error']);
    expect([device.transport.state, stock.transport.state]).toEqual(['connected', 'disconnected']);
    device.transport.terminate();
    await settle();
    expect(taken).toEqual(['malformed of dev-1', 'binary of dev-1', 'end of dev-1']);
  });

  test('are not agreed to without anybody who takes them', async () => {
    const device = await joinDevice(aServer(), 'dev-1', announcing('file'));
    expect(device.heard()[0]?.result).toEqual({ extensions: [] });
  });
});

describe('onProtocol', () => {
  test('gets the protocol of every connection before its first frame, for handlers and middlewares', async () => {
    const protocols: ServerProtocol[] = [];
    const seen: string[] = [];
    const setup = aServer({
      onProtocol(protocol) {
        protocols.push(protocol);
        protocol.on('heartbeat', ({ client_id }) => void seen.push(`beat of ${client_id}`));
        protocol.use({
          name: 'watch',
          incoming(message) {
            seen.push(message.type);
            return message;
          },
        });
      },
    });
    const device = await joinDevice(setup);
    await device.say({ type: 'heartbeat', status: 'ok', client_id: 'dev-1' });
    await settle();

    expect(seen).toEqual(['register', 'heartbeat', 'beat of dev-1']);
    expect(protocols).toHaveLength(1);
  });

  test('[AIP-G5] brings message types of a user onto the wire, both ways, beside those of AIP', async () => {
    const { device } = await aPair({
      onProtocol(protocol) {
        protocol.onCustom('ping-pong', z.looseObject({ count: z.number() }), async ({ count }) => {
          await protocol.sendCustom({ type: 'ping-pong', count: count + 1 });
        });
      },
    });
    await device.say({ type: 'ping-pong', count: 1 });
    await device.say({ type: 'heartbeat', status: 'ok' });
    await settle();

    expect(device.heard()).toMatchObject([{ type: 'ping-pong', count: 2 }, { type: 'heartbeat' }]);
  });

  test('a handler that throws or never ends keeps no frame from being answered', async () => {
    const faults: string[] = [];
    const { clock, device } = await aPair({
      logger: { ...silentLogger, error: (what) => void faults.push(what) },
      onProtocol(protocol) {
        protocol.on('heartbeat', () => {
          throw new Error('a fault');
        });
        protocol.on('heartbeat', () => new Promise(() => {}));
      },
    });
    for (let beat = 0; beat < 50; beat += 1) await device.say({ type: 'heartbeat', status: 'ok' });
    await clock.advance(120_000 * 50);

    expect(device.heard()).toHaveLength(50);
    expect(faults.filter((what) => what === 'aip-handler-failed')).toHaveLength(50);
  });
});

describe('middlewares', () => {
  test('stand between the wire and the server, on every connection', async () => {
    const { constellation, device } = await aPair({
      middlewares: [
        {
          name: 'curfew',
          incoming(message) {
            if (message.type === 'task') throw new MessageRefused('no tasks after ten');
            return message;
          },
        },
      ],
    });
    await giveTask(constellation, 's');

    expect(constellation.heard()).toMatchObject([{ type: 'error', error: 'curfew: no tasks after ten' }]);
    expect(device.heard()).toEqual([]);
  });

  test('that keep a message from leaving end no connection and leave no session hanging', async () => {
    const { constellation, device } = await aPair({
      middlewares: [
        {
          name: 'mute',
          outgoing(message) {
            if (message.type === 'command') throw new MessageRefused('no commands');
            return message;
          },
        },
      ],
    });
    await giveTask(constellation, 's');

    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
    expect(typesOf(device.heard())).toEqual(['task_end']);
  });
});

describe('rules', () => {
  test('a message that breaks one is answered with ERROR, which begins with its name', async () => {
    const { device, constellation } = await aPair({}, { device: DEVICE_EXTENSIONS });
    await device.say({ type: 'task_end', status: 'failed' });
    await giveTask(constellation, 's', { request: ' ' });

    expect(device.heard()).toMatchObject([
      { type: 'error', error: expect.stringMatching(/^task-end-names-session: /) },
    ]);
    expect(constellation.heard()).toMatchObject([
      { type: 'error', error: expect.stringMatching(/^task-has-request: /) },
    ]);
  });

  test('may be of one own', async () => {
    const { device } = await aPair({
      validate: ({ type }) => (type === 'heartbeat' ? { rule: 'no-beats', reason: 'be quiet' } : undefined),
    });
    await device.say({ type: 'heartbeat', status: 'ok' });
    await settle();
    expect(device.heard()).toMatchObject([{ type: 'error', error: 'no-beats: be quiet' }]);
  });

  test('say which messages are dropped without a word', async () => {
    const { device } = await aPair();
    await device.say({ type: 'command_results', status: 'continue', session_id: 's', action_results: [] });
    await device.say({ type: 'command_results', status: 'continue', prev_response_id: 'r', action_results: [] });
    await settle();
    expect(device.heard()).toEqual([]);
  });
});

test('[AIP-109] every time of a server has a default and can be set', async () => {
  const names: Record<keyof DeviceServerTiming, number> = {
    registerMs: 30_000,
    commandMs: 6_000_000,
    infoMs: 10_000,
    operationMs: 120_000,
    resumeMs: 15_000,
    deadlineGraceMs: 2_000,
  };
  expect(DEVICE_SERVER_TIMERS).toEqual(names);

  const timing = { registerMs: 5, commandMs: 7 };
  const setup = await aPair({ timing });
  const silent = setup.open();
  await setup.clock.advance(5);
  expect(silent.closed?.code).toBe(1008);
  await giveTask(setup.constellation, 's');
  await setup.clock.advance(7);
  expect(setup.constellation.last).toMatchObject({ type: 'task_end', result: [{ result: ['failure'] }] });
});

test('[AIP-G5] peers with all extensions, with some and with none work together through one server', async () => {
  const setup = aServer();
  const devices = [
    await joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS),
    await joinDevice(setup, 'dev-2', announcing('log')),
    await joinDevice(setup, 'dev-3'),
  ];
  const requesters = [
    await joinConstellation(setup, 'con-1', announcing('device_info', 'log', 'cancel', 'deadline')),
    await joinConstellation(setup, 'con-2', announcing('cancel')),
    await joinConstellation(setup, 'con-3'),
  ];
  for (const [index, requester] of requesters.entries()) {
    for (const [target, device] of devices.entries()) {
      await giveTask(requester, `${index}-${target}`, { target_id: `dev-${target + 1}` });
      await device.say(answerTo(device.last, [{ status: 'success' }]));
      await settle();
      expect(requester.last).toMatchObject({
        type: 'task_end',
        status: 'completed',
        session_id: `${index}-${target}`,
        result: [{ request: 'one-round', result: ['success'] }],
      });
    }
  }
});

describe('the HTTP side', () => {
  test('[AIP-110] dispatch checks request, client, name and presence in this order', async () => {
    const { server } = await aPair();
    const codeOf = async (clientId: string, request: string, taskName?: string) => {
      const order = { clientId, request, ...(taskName !== undefined && { taskName }) };
      const dispatched = await server.dispatch(order);
      return dispatched.ok ? 'ok' : dispatched.error.code;
    };

    expect(await codeOf('', '', '..')).toBe('empty-request');
    expect(await codeOf('', 'x', '..')).toBe('empty-client-id');
    expect(await codeOf('nobody', 'x', '../x')).toBe('invalid-task-name');
    expect(await codeOf('nobody', 'x')).toBe('client-offline');
    expect(await codeOf('con-1', 'x')).toBe('not-a-device');
    expect(await codeOf('dev-1', 'x')).toBe('ok');
  });

  test('[AIP-112] dispatch sends the device a TASK, whose own TASK then counts', async () => {
    const { device, server } = await aPair();
    await server.dispatch({ clientId: 'dev-1', request: 'no-rounds', taskName: 'nightly' });
    await settle();

    expect(device.last).toMatchObject({
      type: 'task',
      status: 'continue',
      user_request: 'no-rounds',
      task_name: 'nightly',
    });
    expect(server.taskResult('nightly')).toEqual({ status: 'pending' });
    await device.say({ type: 'task', status: 'continue', request: 'no-rounds', task_name: 'nightly' });
    await settle();
    expect(server.taskResult('nightly')).toEqual({ status: 'done', result: [] });
    expect(server.taskResult('unknown')).toEqual({ status: 'pending' });
  });
});
