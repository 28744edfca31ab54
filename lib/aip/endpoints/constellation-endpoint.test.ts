import { describe, expect, test } from 'vitest';
import {
  aConnectedConstellation,
  aConstellation,
  accept,
  agreedTo,
  answerInfo,
  CONFIRMED,
  endTask,
  give,
  letIn,
  REFUSED,
  refuseAll,
  taskOn,
} from '@/lib/aip/testing/a-constellation';
import { settle } from '@/lib/aip/testing/fake-clock';
import { silentLogger } from '@/lib/std/logger';

const UNKNOWN = { error: 'Device dev-1 not found or no system info available' };

describe('connecting', () => {
  test('[AIP-34] each connection has a client id of its own, and asks for the device’s information once confirmed', async () => {
    const constellation = aConstellation();
    const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await settle();
    const [register] = constellation.server().heard();
    await constellation.server().say(CONFIRMED);
    await settle();
    await answerInfo(constellation.server(), { platform: 'linux', supported_features: ['cli'] });

    expect(register).toMatchObject({ type: 'register', target_id: 'dev-1', metadata: { task_name: 'run-1' } });
    expect(await connecting).toMatchObject({
      ok: true,
      value: { extensions: [], profile: { os: { value: 'linux' } } },
    });
    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    expect(constellation.server().heard()[0]?.client_id).not.toBe(register?.client_id);
  });

  test('[AIP-62] a device of which nothing is known is connected all the same', async () => {
    const silent = aConstellation();
    const connecting = silent.endpoint.connectToDevice('dev-1', 'ws://one');
    await settle();
    await silent.server().say(CONFIRMED);
    await silent.clock.advance(10_000);
    expect(await connecting).toMatchObject({ ok: true });

    const unknown = aConstellation();
    const another = unknown.endpoint.connectToDevice('dev-1', 'ws://one');
    await letIn(unknown, { info: UNKNOWN });
    expect(await another).toMatchObject({ ok: true, value: { profile: { systemInfo: {} } } });
  });

  test('again to a device that is there does nothing, but to another address is refused', async () => {
    const { endpoint, servers } = await aConnectedConstellation();

    expect(await endpoint.connectToDevice('dev-1', 'ws://one')).toMatchObject({ ok: true });
    const refused = await endpoint.connectToDevice('dev-1', 'ws://two?token=secret');
    expect(refused).toMatchObject({ ok: false, error: { code: 'other-address' } });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(await endpoint.connectToDevice(' ', 'ws://one')).toMatchObject({ error: { code: 'invalid-device' } });
    expect(servers()).toHaveLength(1);
  });

  test('[AIP-27] a wrong token or address is told at once, and a token tried only slowly for a device that was connected', async () => {
    const wrong = aConstellation();
    wrong.breakNetwork('dev-1', 'unauthorized');
    expect(await wrong.endpoint.connectToDevice('dev-1', 'ws://one')).toMatchObject({
      ok: false,
      error: { code: 'unauthorized' },
    });
    expect(wrong.tries()).toHaveLength(1);
    expect(wrong.endpoint.profileOf('dev-1')).toBeUndefined();

    const mistyped = aConstellation();
    mistyped.breakNetwork('dev-1', 'invalid-url');
    expect(await mistyped.endpoint.connectToDevice('dev-1', 'one')).toMatchObject({ error: { code: 'invalid-url' } });
    expect(mistyped.tries()).toHaveLength(1);

    const changed = await aConnectedConstellation();
    changed.breakNetwork('dev-1', 'unauthorized');
    changed.server().transport.terminate();
    await changed.clock.advance(60_999);
    expect(changed.tries()).toEqual([0, 1_000]);
    await changed.clock.advance(1);
    expect(changed.tries()).toEqual([0, 1_000, 61_000]);
  });

  test('a transport that cannot even be made is a failed try like others', async () => {
    const { endpoint, kinds, clock } = aConstellation({
      createTransport() {
        throw new Error('no such adapter');
      },
      reconnection: { maxRetries: 1, policy: 'immediate' },
    });

    const connecting = endpoint.connectToDevice('dev-1', 'ws://one');
    await clock.advance(1);

    expect(await connecting).toMatchObject({ ok: false, error: { code: 'connect-failed' } });
    expect(kinds()).toEqual(['device-unreachable', 'device-unreachable', 'device-given-up']);
  });

  test('[AIP-26] the address, which may hold a token, is in no event, outcome, profile or log', async () => {
    const lines: string[] = [];
    const note = (what: string, fields?: object) => lines.push(JSON.stringify([what, fields]));
    const logger = { ...silentLogger, error: note, warn: note, info: note, debug: note };
    const constellation = aConstellation({ logger, reconnection: { maxRetries: 1, jitter: 0 } });
    const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one?token=canary');
    await letIn(constellation);
    await connecting;
    const { ended } = await give(constellation, 'a');
    constellation.breakNetwork();
    constellation.server().transport.terminate();
    await constellation.clock.advance(60_000);
    const all = [lines, constellation.events, await ended, constellation.endpoint.profileOf('dev-1')];

    expect(lines.length).toBeGreaterThan(3);
    expect(JSON.stringify(all)).not.toContain('canary');
  });
});

describe('coming back', () => {
  test('[AIP-104] a loss fails the task of that device alone, and the device comes back', async () => {
    const constellation = await aConnectedConstellation();
    const other = constellation.endpoint.connectToDevice('dev-2', 'ws://two');
    await letIn(constellation, { deviceId: 'dev-2' });
    await other;
    const lost = await give(constellation, 'a');
    const kept = await give(constellation, 'b', { deviceId: 'dev-2' });
    constellation.server('dev-1').transport.terminate();

    expect(await lost.ended).toMatchObject({ status: 'failed', errorType: 'device_disconnection', taskId: 'a' });
    await constellation.clock.advance(1_000);
    await letIn(constellation);
    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
    await endTask(constellation.server('dev-2'), taskOn(constellation.server('dev-2')));
    expect(await kept.ended).toMatchObject({ status: 'completed' });
  });

  test('[AIP-104] whoever listens, and however badly, devices come back', async () => {
    const kinds: string[] = [];
    const constellation = await aConnectedConstellation({
      onEvent: ({ kind }) => {
        kinds.push(kind);
        if (kind === 'device-disconnected') throw new Error('a subscriber that breaks');
        return Promise.reject(new Error('and one that breaks later'));
      },
    });
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    await letIn(constellation);

    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
    expect(kinds).toEqual([
      'device-connected',
      'profile-updated',
      'device-disconnected',
      'device-reconnected',
      'profile-updated',
    ]);
  });

  test('the queue of a lost device waits for it, and goes on once it has said how it is', async () => {
    const constellation = await aConnectedConstellation();
    const first = await give(constellation, 'a');
    const second = await give(constellation, 'b');
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    await constellation.server().say(CONFIRMED);
    await settle();
    const seen = constellation.server().heard();
    expect(seen.map(({ type }) => type)).toEqual(['register', 'device_info_request']);
    await constellation.server().say({
      type: 'device_info_response',
      status: 'ok',
      response_id: String(seen[1]?.request_id),
      result: { platform: 'linux' },
    });
    await settle();
    const task = taskOn(constellation.server());
    await endTask(constellation.server(), task);

    expect(await first.ended).toMatchObject({ errorType: 'device_disconnection' });
    expect(await second.ended).toMatchObject({ status: 'completed', taskId: 'b', sessionId: task.session_id });
  });

  test('[AIP-57] a server that falls silent is gone after two beats without a word, and connected to anew', async () => {
    const constellation = await aConnectedConstellation();
    await constellation.clock.advance(60_000);
    expect(constellation.events.at(-1)).toEqual({
      kind: 'device-disconnected',
      deviceId: 'dev-1',
      code: 1006,
      reason: 'No message for 60 s',
    });
    await constellation.clock.advance(1_000);
    await letIn(constellation);
    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
  });

  test('[AIP-109] each of its times can be changed', async () => {
    const timing = { heartbeatMs: 7, registerMs: 11, infoMs: 13, taskMs: 17, unauthorizedMs: 19, deadAfterMs: 1_000 };
    const constellation = aConstellation({ timing });
    const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await constellation.clock.advance(11);
    expect(constellation.kinds()).toEqual(['device-unreachable']);
    await constellation.clock.advance(1_000);
    await constellation.server().say(CONFIRMED);
    await constellation.clock.advance(13);
    expect(await connecting).toMatchObject({ ok: true });
    expect(
      constellation
        .server()
        .heard()
        .map(({ type }) => type),
    ).toContain('heartbeat');
    const { ended } = await give(constellation, 'a');
    await constellation.clock.advance(17);
    expect(await ended).toMatchObject({ errorType: 'timeout' });
  });

  test('[AIP-106] waits grow up to 60 s, and each connection registers anew', async () => {
    const constellation = await aConnectedConstellation({ reconnection: { maxRetries: 9, jitter: 0 } });
    constellation.breakNetwork();
    constellation.server().transport.terminate();
    await constellation.clock.advance(400_000);

    const tries = constellation.tries();
    const waits = tries.slice(1).map((atMs, index) => (atMs - (tries[index] ?? 0)) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('[AIP-106] waits have jitter by default', async () => {
    const constellation = await aConnectedConstellation({ reconnection: {} });
    constellation.server().transport.terminate();
    await constellation.clock.advance(749);
    expect(constellation.servers()).toHaveLength(1);
    await constellation.clock.advance(1);
    expect(constellation.servers()).toHaveLength(2);
  });

  test('[AIP-107] only a confirmed registration makes the tries count anew', async () => {
    const constellation = await aConnectedConstellation({ reconnection: { maxRetries: 3, jitter: 0 } });
    constellation.breakNetwork();
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    constellation.mendNetwork();
    await constellation.clock.advance(2_000);
    await letIn(constellation);
    constellation.breakNetwork();
    constellation.server().transport.terminate();
    await constellation.clock.advance(7_000);

    expect(constellation.tries().slice(1)).toEqual([1_000, 3_000, 4_000, 6_000, 10_000]);
    expect(constellation.kinds().at(-1)).toBe('device-given-up');
  });

  test('[AIP-108] refused registrations count as tries: after the last one the device is let go of', async () => {
    const constellation = aConstellation();
    const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    const waiting = constellation.endpoint.sendTaskToDevice('dev-1', { request: 'do it' });
    await refuseAll(constellation, 600);

    expect(await connecting).toEqual({ ok: false, error: { code: 'refused', message: REFUSED.error } });
    expect(constellation.servers()).toHaveLength(6);
    expect(await waiting).toMatchObject({ status: 'failed', errorType: 'device_disconnection' });
    expect(constellation.kinds().filter((kind) => kind === 'device-unreachable')).toHaveLength(6);
    expect(constellation.kinds().at(-1)).toBe('device-given-up');
  });

  test('[AIP-46] a refused registration is tried again for at least a minute, and soon at first', async () => {
    const constellation = aConstellation();
    void constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await refuseAll(constellation, 120);

    expect(constellation.tries()).toEqual([0, 1_000, 5_000, 13_000, 29_000, 61_000]);
  });

  test.each([0, 1, 2, 40])('a plan of %d tries has no wait that is none, nor one without end', async (maxRetries) => {
    const constellation = aConstellation({ reconnection: { maxRetries, jitter: 0 } });
    void constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await refuseAll(constellation, 3_000);

    expect(constellation.tries()).toHaveLength(1 + maxRetries);
    expect(constellation.kinds().at(-1)).toBe('device-given-up');
  });

  test('a device that is refused for days is asked for once a minute, for ever', async () => {
    const plan = { maxRetries: Number.POSITIVE_INFINITY, jitter: 0 };
    const constellation = aConstellation({ reconnection: plan });
    void constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    for (let minutes = 0; minutes < 1_500; minutes += 1) {
      await settle();
      const wire = constellation.servers().at(-1);
      if (wire?.transport.state === 'connected') await wire.say(REFUSED);
      await constellation.clock.advance(60_000);
    }

    const tries = constellation.tries();
    expect(tries.length).toBeGreaterThan(1_100);
    expect((tries.at(-1) ?? 0) - (tries.at(-2) ?? 0)).toBeGreaterThanOrEqual(60_000);
    await constellation.endpoint.close();
  });

  test('a device that was let go of can be connected to anew, even by whoever hears that', async () => {
    const constellation = await aConnectedConstellation({ reconnection: { maxRetries: 1, jitter: 0 } });
    const { endpoint } = constellation;
    constellation.breakNetwork();
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    expect(constellation.kinds().at(-1)).toBe('device-given-up');
    constellation.mendNetwork();
    const again = endpoint.connectToDevice('dev-1', 'ws://one');
    await letIn(constellation);

    expect(await again).toMatchObject({ ok: true });
  });
});

describe('letting go', () => {
  test('fails what a device has to do and closes its connection; a new one can be made at once', async () => {
    const constellation = await aConnectedConstellation();
    const tasks = [await give(constellation, 'a'), await give(constellation, 'b')];
    const wire = constellation.server();
    await constellation.endpoint.disconnectDevice('dev-1');
    await settle();

    for (const { ended } of tasks) expect(await ended).toMatchObject({ errorType: 'device_disconnection' });
    expect(wire.closed).toMatchObject({ code: 1000 });
    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(false);
    await constellation.clock.advance(600_000);
    expect(constellation.servers()).toHaveLength(1);
    expect(await constellation.endpoint.disconnectDevice('dev-1')).toBeUndefined();
    const again = constellation.endpoint.connectToDevice('dev-1', 'ws://two');
    await letIn(constellation);
    expect(await again).toMatchObject({ ok: true });
  });

  test('ends tries that are under way', async () => {
    const constellation = aConstellation();
    const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await settle();
    await constellation.endpoint.disconnectDevice('dev-1');
    await settle();

    expect(await connecting).toMatchObject({ ok: false, error: { code: 'closed' } });
    expect(constellation.server().transport.state).toBe('disconnected');
  });

  test('of all devices is for good, and may be asked for twice', async () => {
    const { endpoint, server } = await aConnectedConstellation();
    await endpoint.close();
    await endpoint.close();
    await settle();

    expect(server().closed).toMatchObject({ code: 1000 });
    expect(await endpoint.connectToDevice('dev-1', 'ws://one')).toMatchObject({ ok: false, error: { code: 'closed' } });
    expect(await endpoint.sendTaskToDevice('dev-1', { request: 'x' })).toMatchObject({
      status: 'failed',
      errorType: 'device_disconnection',
    });
    expect(await endpoint.requestDeviceInfo('dev-1')).toMatchObject({ ok: false, reason: 'closed' });
    expect(await endpoint.cancelTask('dev-1', 'a')).toMatchObject({ ok: false, error: { code: 'unknown-task' } });
  });
});

describe('what is known of a device', () => {
  test('is what its operator says, what it can do and what it reports, asked or unasked', async () => {
    const constellation = aConstellation();
    const { endpoint, server } = constellation;
    const operatorSettings = { capabilities: ['paint'], metadata: { location: 'Oslo' } };
    const connecting = endpoint.connectToDevice('dev-1', 'ws://one', { operatorSettings });
    const info = { platform: 'linux', supported_features: ['cli'], capabilities: ['shell'], tools: [] };
    await letIn(constellation, { confirmation: agreedTo('device_info'), info });
    await connecting;

    expect(endpoint.profileOf('dev-1')).toMatchObject({
      capabilities: [
        { value: 'paint', source: 'operator' },
        { value: 'shell', source: 'manifest' },
        { value: 'cli', source: 'telemetry' },
      ],
      metadata: { location: { value: 'Oslo' } },
      reported: { fresh: true },
    });
    await server().say({ type: 'device_info_response', status: 'ok', result: { platform: 'windows' } });
    await settle();
    expect(endpoint.profileOf('dev-1')).toMatchObject({ os: { value: 'windows' } });
    const asking = endpoint.requestDeviceInfo('dev-1');
    await settle();
    await answerInfo(server(), { platform: 'linux', stale: true });
    expect(await asking).toMatchObject({ ok: true, fresh: false });
    expect(endpoint.profileOf('dev-1')).toMatchObject({ os: { value: 'linux' }, reported: { fresh: false } });
  });

  test('is the same after an answer that knows nothing', async () => {
    const { endpoint, server } = await aConnectedConstellation();
    const before = endpoint.profileOf('dev-1');
    const asking = endpoint.requestDeviceInfo('dev-1');
    await settle();
    await answerInfo(server(), UNKNOWN);

    expect(await asking).toMatchObject({ ok: false, reason: 'unknown-device' });
    expect(endpoint.profileOf('dev-1')).toEqual(before);
  });
});

test('its users may hang middleware, handlers and message types of their own into each connection', async () => {
  const seen: string[] = [];
  const constellation = await aConnectedConstellation({
    middlewares: [
      {
        name: 'note',
        outgoing: (message) => {
          seen.push(`out ${message.type}`);
          return message;
        },
      },
    ],
    onProtocol: (protocol, deviceId) => {
      protocol.on('heartbeat', ({ session_id: sessionId }) => {
        seen.push(`${deviceId} ${sessionId}`);
      });
    },
  });
  await give(constellation, 'a');
  await accept(constellation.server(), { session_id: 's' });
  await settle();

  expect(seen).toEqual(['out register', 'out device_info_request', 'out task', 'dev-1 s']);
});
