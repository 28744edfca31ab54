import { describe, expect, test } from 'vitest';
import {
  answerTo,
  aPair,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
  TASK,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonObject } from '@/lib/std/json';

const FRAMES: readonly JsonObject[] = [
  { type: 'heartbeat', status: 'ok' },
  { type: 'task', status: 'continue', request: 'one-round', target_id: 'dev-1' },
  { type: 'command_results', status: 'continue', session_id: 's', prev_response_id: 'r', action_results: [] },
  { type: 'device_info_request', status: 'ok', target_id: 'dev-1', request_id: 'q' },
  { type: 'device_info_response', status: 'ok', metadata: { system_info: { stolen: true } } },
  { type: 'task_end', status: 'failed', session_id: 's' },
  { type: 'register', status: 'ok' },
];

describe("a frame in another's name", () => {
  test.each(FRAMES.map((frame) => [String(frame.type), frame]))(
    '[AIP-48] is refused and the connection goes on: %s',
    async (_type, frame) => {
      const { device, constellation } = await aPair();
      await device.say({ ...frame, client_type: 'device', client_id: 'con-1' });
      await constellation.say({ ...frame, client_type: 'constellation', client_id: 'dev-1' });
      await settle();
      for (const wire of [device, constellation]) {
        expect(wire.heard()).toMatchObject([{ type: 'error', status: 'error' }]);
      }

      await device.say({ type: 'heartbeat', status: 'ok', client_id: 'dev-1' });
      await settle();
      expect(typesOf(device.heard())).toEqual(['heartbeat']);
    },
  );

  test('[AIP-53] reaches no handler of a user', async () => {
    const seen: string[] = [];
    const { device } = await aPair({
      onProtocol: (protocol) => void protocol.on('heartbeat', ({ client_id }) => void seen.push(String(client_id))),
    });
    await device.say({ type: 'heartbeat', status: 'ok', client_id: 'con-1' });
    await device.say({ type: 'heartbeat', status: 'ok', client_id: 'dev-1' });
    await settle();

    expect(seen).toEqual(['dev-1']);
  });

  test.each([
    ['absent', {}],
    ['null', { client_id: null }],
    ['empty', { client_id: '' }],
  ])("[AIP-49] is none when the client id is %s: it is its connection's", async (_name, id) => {
    const { device, constellation } = await aPair();
    await device.say({ type: 'heartbeat', status: 'ok', ...id });
    await constellation.say({ ...TASK, request: 'no-rounds', session_id: 's', ...id });
    await settle();

    expect(typesOf(device.heard())).toEqual(['heartbeat', 'task_end']);
    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
  });
});

describe('a frame in the other role', () => {
  test.each(['task', 'command_results', 'device_info_request'])('[AIP-50] is refused: %s', async (type) => {
    const { device, constellation } = await aPair();
    const frame = FRAMES.find((known) => known.type === type) ?? {};
    await device.say({ ...frame, client_type: 'constellation' });
    await constellation.say({ ...frame, client_type: 'device' });
    await constellation.say(frame);
    await settle();

    expect(typesOf(device.heard())).toEqual(['error']);
    expect(typesOf(constellation.heard())).toEqual(['error', 'error']);
  });

  test.each([
    ['device', { client_type: 'device' }],
    ['absent', {}],
  ])(
    '[AIP-51] is answered when it is the heartbeat of a constellation, as stock ones beat: %s',
    async (_name, role) => {
      const { constellation } = await aPair();
      await constellation.say({ type: 'heartbeat', status: 'ok', client_id: 'con-1', ...role });
      await settle();

      expect(constellation.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok' }]);
      expect(constellation.transport.state).toBe('connected');
    },
  );
});

describe('rights', () => {
  test("[AIP-53] come from the registration: no frame makes a device another device's requester", async () => {
    const setup = await aPair();
    const other = await joinDevice(setup, 'dev-2');
    other.heard();
    await other.say({ ...TASK, client_type: 'device', request: 'one-round', session_id: 's' });
    await other.say({ ...TASK, request: 'one-round', session_id: 's' });
    await settle();

    expect(typesOf(other.heard())).toEqual(['error', 'error']);
    expect(setup.device.heard()).toEqual([]);
  });

  test('[AIP-53] to cancel and to end a task are those of its owner and its executor', async () => {
    const setup = await aPair({}, { device: DEVICE_EXTENSIONS, constellation: CONSTELLATION_EXTENSIONS });
    const device = await joinDevice(setup, 'dev-2', DEVICE_EXTENSIONS);
    const constellation = await joinConstellation(setup, 'con-2', CONSTELLATION_EXTENSIONS);
    await giveTask(setup.constellation, 's');
    setup.constellation.heard();
    await device.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await constellation.say({
      type: 'task_end',
      status: 'failed',
      client_type: 'constellation',
      target_id: 'dev-1',
      session_id: 's',
    });
    await settle();

    expect(setup.constellation.heard()).toEqual([]);
    expect(setup.device.last).toMatchObject({ type: 'command' });
  });

  test('[AIP-54] answers go to the connection that asked, however many ask the same', async () => {
    const setup = await aPair();
    const other = await joinConstellation(setup, 'con-2');
    const idle = await joinConstellation(setup, 'con-3');
    other.heard();
    idle.heard();
    for (const [wire, name] of [
      [setup.constellation, 'a'],
      [other, 'b'],
    ] as const) {
      await wire.say({ type: 'heartbeat', status: 'ok', client_type: 'constellation' });
      await wire.say({ ...FRAMES[3], client_type: 'constellation', request_id: name });
      await wire.say({ ...TASK, request: 'no-rounds', session_id: name });
    }
    await settle();

    for (const [wire, name] of [
      [setup.constellation, 'a'],
      [other, 'b'],
    ] as const) {
      const heard = wire.heard();
      expect(typesOf(heard).sort()).toEqual(['device_info_response', 'heartbeat', 'heartbeat', 'task_end']);
      expect(heard.find(({ type }) => type === 'device_info_response')?.response_id).toBe(name);
      expect(heard.find(({ type }) => type === 'task_end')?.session_id).toBe(name);
    }
    expect(idle.heard()).toEqual([]);
  });
});

describe('heartbeats', () => {
  test('[AIP-55] each is answered once, under a response id of its own and without a session', async () => {
    const { device, constellation } = await aPair();
    for (let beat = 0; beat < 5; beat += 1) {
      await device.say({ type: 'heartbeat', status: 'ok', request_id: 'same', session_id: 's' });
      await constellation.say({ type: 'heartbeat', status: 'ok', client_type: 'constellation' });
    }
    await settle();

    const answers = [...device.heard(), ...constellation.heard()];
    expect(answers).toHaveLength(10);
    for (const answer of answers) {
      expect(answer).toMatchObject({ type: 'heartbeat', status: 'ok' });
      expect(answer).not.toHaveProperty('session_id');
    }
    expect(new Set(answers.map(({ response_id }) => response_id)).size).toBe(10);
  });

  test('[AIP-56] a device that beats every two minutes stays, and one that never beats, too', async () => {
    const { clock, device, constellation } = await aPair();
    for (let beat = 0; beat < 30; beat += 1) {
      await clock.advance(120_000);
      await device.say({ type: 'heartbeat', status: 'ok' });
    }
    await settle();

    expect(device.heard()).toHaveLength(30);
    expect([device.transport.state, constellation.transport.state]).toEqual(['connected', 'connected']);
  });
});

describe('errors', () => {
  test.each<[string, string]>([
    ['as stock peers send it', JSON.stringify({ type: 'error', status: 'error', error: 'x' })],
    ['without a text', JSON.stringify({ type: 'error', status: 'error' })],
    ['in the other role', JSON.stringify({ type: 'error', status: 'error', client_type: 'constellation' })],
    ["in another's name", JSON.stringify({ type: 'error', status: 'error', client_id: 'somebody' })],
    ['without a status', JSON.stringify({ type: 'error', error: 'x' })],
    ['with a number for a text', JSON.stringify({ type: 'error', status: 'error', error: 7 })],
  ])('[AIP-97] an ERROR %s is never answered', async (_name, text) => {
    const { device } = await aPair();
    await device.transport.send(text);
    await settle();

    expect(device.heard()).toEqual([]);
    expect(device.transport.state).toBe('connected');
  });

  test('[AIP-97] an ERROR that a middleware refuses is not answered either', async () => {
    const { device } = await aPair({
      middlewares: [
        {
          name: 'deaf',
          incoming(message) {
            if (message.type === 'error') throw new Error('not today');
            return message;
          },
        },
      ],
    });
    await device.say({ type: 'error', status: 'error' });
    await settle();

    expect(device.heard()).toEqual([]);
  });

  test.each<[string, string]>([
    ['is empty', ''],
    ['is no JSON', '{"type": "heartbeat", '],
    ['is an array', '[]'],
    ['is a text', '"heartbeat"'],
    ['has a type that nobody knows', JSON.stringify({ type: 'sing', status: 'ok' })],
    ['has a type of servers', JSON.stringify({ type: 'command', status: 'continue' })],
    ['has no status', JSON.stringify({ type: 'heartbeat' })],
    ['has a role that is null', JSON.stringify({ type: 'heartbeat', status: 'ok', client_type: null })],
    ['nests too deep', `{"type":"heartbeat","status":"ok","metadata":${'['.repeat(9_000)}${']'.repeat(9_000)}}`],
    ['holds half a character', '{"type":"heartbeat","status":"ok","error":"\\ud800"}'],
    ['begins with a byte order mark', '\ufeff{"type":"heartbeat","status":"ok"}'],
    ['has a byte behind its end', '{"type":"heartbeat","status":"ok"}x'],
  ])('[AIP-94] a frame that %s is answered with ERROR, and the connection goes on', async (_name, text) => {
    const { device } = await aPair();
    await device.transport.send(text);
    await device.say({ type: 'heartbeat', status: 'ok' });
    await settle();

    expect(device.heard()).toMatchObject([
      { type: 'error', status: 'error', error: expect.stringMatching(/./) },
      { type: 'heartbeat', status: 'ok' },
    ]);
  });

  test('[AIP-94] the ERROR repeats no payload of the frame that was no message', async () => {
    const { device } = await aPair();
    await device.transport.send('{"type":"heartbeat","status":"ok","request":["s3cret"]}');
    await settle();

    expect(JSON.stringify(device.heard())).not.toContain('s3cret');
  });

  test('[AIP-95] a binary frame ends its connection, frees the id and hurts nobody else', async () => {
    const { device, constellation, server } = await aPair();
    await giveTask(constellation, 's');
    await device.transport.send(new TextEncoder().encode(JSON.stringify(answerTo(device.last, []))));
    await settle();

    expect(typesOf(device.heard())).toEqual(['command']);
    expect(device.closed).toBeDefined();
    expect(server.onlineClients()).toEqual(['con-1']);
    expect(constellation.last).toMatchObject({ type: 'task_end', status: 'failed' });
  });
});
