import { describe, expect, test } from 'vitest';
import {
  announcing,
  aPair,
  aServer,
  giveTask,
  joinConstellation,
  joinDevice,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import { vectorCases } from '@/lib/aip/testing/vectors';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import type { DeviceServerOptions } from './device-server-types';

const REGISTER = { type: 'register', status: 'ok', client_id: 'dev-1' };

async function register(setup: ReturnType<typeof aServer>, message: JsonObject) {
  const wire = setup.open();
  await wire.say(message);
  await settle();
  return wire;
}

describe('a confirmation', () => {
  test('[AIP-35] is a heartbeat ok with a response id of its own, and nothing else', async () => {
    const setup = aServer();
    const confirmations = [
      ...(await joinDevice(setup)).heard(),
      ...(await joinConstellation(setup)).heard(),
      ...(await joinDevice(setup, 'dev-2')).heard(),
    ];

    for (const confirmation of confirmations) {
      expect(confirmation).toMatchObject({ type: 'heartbeat', status: 'ok' });
      expect(Object.keys(confirmation).sort()).toEqual(['response_id', 'status', 'timestamp', 'type']);
    }
    expect(new Set(confirmations.map(({ response_id }) => response_id)).size).toBe(3);
  });

  test.each(['ok', 'continue', 'completed', 'failed', 'error'])(
    '[AIP-41] comes though the REGISTER has status %s',
    async (status) => {
      const wire = await register(aServer(), { ...REGISTER, status });
      expect(wire.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
    },
  );

  test.each<[JsonValue]>([[null], ['oops'], [7], [[]]])(
    '[AIP-43] comes though system_info is %j, and no ghost is left',
    async (system_info) => {
      const setup = aServer();
      const first = await register(setup, { ...REGISTER, metadata: { system_info } });
      expect(first.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
      await first.transport.close(1000, '');
      await settle();

      expect(setup.server.onlineClients()).toEqual([]);
      expect((await joinDevice(setup)).heard()).toMatchObject([{ type: 'heartbeat' }]);
    },
  );

  test.each<[string, JsonObject]>([
    ['null', { metadata: null }],
    ['absent', {}],
    ['full of members of wrong kinds', { metadata: { platform: 7, extensions: 'all', tools: {}, resume: 1 } }],
  ])('[AIP-43] comes though metadata is %s', async (_name, more) => {
    const wire = await register(aServer(), { ...REGISTER, ...more });
    expect(wire.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
  });

  test('names the extensions that both know, and only to those who announced any', async () => {
    const setup = aServer();
    const ask = async (id: string, ...names: string[]) =>
      (await joinDevice(setup, id, announcing(...names))).heard()[0]?.result;

    expect(await ask('dev-1', 'device_info', 'teleport')).toEqual({ extensions: ['device_info'] });
    expect(await ask('dev-2', 'teleport')).toEqual({ extensions: [] });
    expect(await ask('dev-3', 'file', 'log')).toEqual({ extensions: ['log'] });
    expect(await ask('dev-4')).toBeUndefined();
  });

  test('names no extension to a constellation that only a device can keep', async () => {
    const all = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'];
    const wire = await joinConstellation(await aPair(), 'con-2', announcing(...all));
    expect(wire.heard()[0]?.result).toEqual({ extensions: ['device_info', 'log', 'cancel', 'deadline'] });
  });

  test('names no extension that the server was told to leave out', async () => {
    const setup = aServer({ extensions: ['log'] });
    const wire = await joinDevice(setup, 'dev-1', announcing('cancel', 'log', 'resume'));
    expect(wire.heard()[0]?.result).toEqual({ extensions: ['log'] });
  });
});

describe('a refusal', () => {
  test.each(['nobody', 'con-1'])('[AIP-37] meets a constellation whose target %s is no device', async (target_id) => {
    const setup = aServer();
    await joinDevice(setup);
    await joinConstellation(setup);
    const wire = await register(setup, { ...REGISTER, client_type: 'constellation', client_id: 'con-2', target_id });

    expect(wire.heard()).toMatchObject([{ type: 'error', status: 'error' }]);
    expect(wire.closed?.code).toBe(1000);
    expect(setup.server.onlineClients()).toEqual(['dev-1', 'con-1']);
  });

  test.each(['device', 'constellation'])(
    '[AIP-39] meets a %s with an id that is taken; the first one keeps it and works',
    async (client_type) => {
      const setup = await aPair();
      for (const client_id of ['dev-1', 'con-1']) {
        const wire = await register(setup, { ...REGISTER, client_type, client_id });
        expect(typesOf(wire.heard())).toEqual(['error']);
        expect(wire.closed?.code).toBe(1000);
      }
      await giveTask(setup.constellation, 's', { request: 'no-rounds' });
      expect(typesOf(setup.constellation.heard())).toEqual(['heartbeat', 'task_end']);
    },
  );

  test('[AIP-39] meets one of two sockets that register an id at the same time', async () => {
    const setup = aServer();
    const [one, two] = await Promise.all([joinDevice(setup), joinDevice(setup)]);
    const types = typesOf([...one.heard(), ...two.heard()]).sort();

    expect(types).toEqual(['error', 'heartbeat']);
    expect(setup.server.onlineClients()).toEqual(['dev-1']);
  });

  test('meets an id that no table should hold', async () => {
    const setup = aServer();
    const wire = await register(setup, { ...REGISTER, client_id: 'x'.repeat(4_097) });
    expect(wire.heard()).toMatchObject([{ type: 'error', error: expect.stringContaining('4096') }]);
    expect(setup.server.onlineClients()).toEqual([]);
    expect((await register(setup, { ...REGISTER, client_id: 'x'.repeat(4_096) })).heard()).toMatchObject([
      { type: 'heartbeat' },
    ]);
  });
});

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', ''],
])('[AIP-38] a constellation whose target is %s is taken', async (_name, target_id) => {
  const target = target_id === undefined ? {} : { target_id };
  const wire = await register(aServer(), { ...REGISTER, client_type: 'constellation', ...target });
  expect(wire.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
});

describe('a first frame', () => {
  const asText = (message: JsonObject) => JSON.stringify(message);
  test.each<[string, string | Uint8Array]>([
    ['no JSON', '{"type":'],
    ['empty', ''],
    ['an array', '[]'],
    ['a heartbeat', asText({ ...REGISTER, type: 'heartbeat' })],
    ['a task', asText({ ...REGISTER, type: 'task', request: 'x' })],
    ['an error', asText({ ...REGISTER, type: 'error' })],
    ['a REGISTER without a client id', asText({ type: 'register', status: 'ok' })],
    ['a REGISTER with an empty client id', asText({ ...REGISTER, client_id: '' })],
    ['a REGISTER with a blank client id', asText({ ...REGISTER, client_id: '  ' })],
    ['a REGISTER with a number for an id', asText({ ...REGISTER, client_id: 5 })],
    ['a REGISTER in capitals', asText({ ...REGISTER, type: 'REGISTER' })],
    ['a REGISTER without a status', asText({ type: 'register', client_id: 'dev-1' })],
    ['a REGISTER whose role is null', asText({ ...REGISTER, client_type: null })],
    ['bytes', new Uint8Array([123, 125])],
    ['a REGISTER in bytes', new TextEncoder().encode(asText(REGISTER))],
  ])('[AIP-36] that is %s ends the connection without a word and leaves nothing', async (_name, frame) => {
    const setup = aServer();
    const wire = setup.open();
    await wire.transport.send(frame);
    await settle();

    expect(wire.heard()).toEqual([]);
    expect(wire.closed).toBeDefined();
    expect(setup.server.onlineClients()).toEqual([]);
  });

  test('[AIP-42] that does not come in time ends the connection', async () => {
    const setup = aServer();
    const wire = setup.open();
    await setup.clock.advance(29_999);
    expect(wire.transport.state).toBe('connected');
    await setup.clock.advance(1);

    expect(wire.transport.state).toBe('disconnected');
  });

  test('[AIP-42] that came in time ends the waiting for it', async () => {
    const setup = aServer();
    const wire = await joinDevice(setup);
    await setup.clock.advance(3_600_000);

    expect(wire.transport.state).toBe('connected');
  });
});

describe('an id', () => {
  test('[AIP-40] of a peer that vanished before its confirmation is free', async () => {
    const setup = aServer();
    const wire = setup.open();
    const saying = wire.say(REGISTER);
    wire.transport.terminate();
    await saying;
    await settle();

    expect(setup.server.onlineClients()).toEqual([]);
    expect((await joinDevice(setup)).heard()).toMatchObject([{ type: 'heartbeat' }]);
  });

  test.each([1000, 1001, 1006, 1011])('[AIP-40][AIP-102] is free at once after an end with code %i', async (code) => {
    const setup = await aPair();
    await giveTask(setup.constellation, 's');
    for (const wire of [setup.device, setup.constellation]) {
      if (code === 1006) wire.transport.terminate();
      else await wire.transport.close(code, '');
    }
    await settle();

    expect(setup.server.onlineClients()).toEqual([]);
    expect(typesOf((await joinDevice(setup)).heard())).toEqual(['heartbeat']);
    expect(typesOf((await joinConstellation(setup)).heard())).toEqual(['heartbeat']);
  });

  test('[AIP-40] is free after a fault of the server itself, and other connections go on', async () => {
    const setup = await aPair({
      onProtocol(protocol) {
        const { dispatch } = protocol;
        protocol.dispatch = (received) => {
          if (received.kind === 'message' && received.message.error === 'boom') protocol.receive = explode;
          return dispatch(received);
        };
      },
    });
    await setup.device.say({ type: 'error', status: 'error', error: 'boom' });
    await settle();

    expect(setup.server.onlineClients()).toEqual(['con-1']);
    expect(setup.device.closed?.code).toBe(1011);
    expect(typesOf((await joinDevice(setup)).heard())).toEqual(['heartbeat']);
  });

  test.each<[string, Partial<DeviceServerOptions>]>([
    ['the confirmation', { onProtocol: (protocol) => void Object.assign(protocol, { send: explode }) }],
    ['what takes its files', { files: () => fail('no room') }],
  ])('[AIP-40] is free when %s fails in a way that nobody foresaw', async (_name, options) => {
    const setup = aServer(options);
    const wire = await joinDevice(setup, 'dev-1', announcing('file'));

    expect(setup.server.onlineClients()).toEqual([]);
    expect(wire.closed?.code).toBe(1011);
  });

  test('[AIP-47] that registers again on its connection gets an ERROR, and stays what it is', async () => {
    const { device, constellation, server } = await aPair();
    await device.say({ ...REGISTER, client_id: 'dev-1' });
    await constellation.say({ ...REGISTER, client_type: 'constellation', client_id: 'con-1' });
    await device.say({ ...REGISTER, client_id: 'other' });
    await settle();

    expect(typesOf(device.heard())).toEqual(['error', 'error']);
    expect(typesOf(constellation.heard())).toEqual(['error']);
    expect(server.onlineClients()).toEqual(['dev-1', 'con-1']);
    await device.say({ type: 'heartbeat', status: 'ok' });
    await settle();
    expect(typesOf(device.heard())).toEqual(['heartbeat']);
  });
});

test('[AIP-36] the recorded frames that are no client message register nobody', async () => {
  for (const { name, accept, input } of await vectorCases('client_message')) {
    if (accept || typeof input !== 'object' || input === null) continue;
    const setup = aServer();
    const wire = setup.open();
    await wire.transport.send(JSON.stringify(input));
    await settle();
    expect([name, wire.heard(), setup.server.onlineClients()]).toEqual([name, [], []]);
  }
});

function fail(why: string): never {
  throw new Error(why);
}

async function explode(): Promise<never> {
  throw new Error('a fault');
}
