import { describe, expect, test } from 'vitest';
import type { ServerMessage } from '@/lib/aip/messages';
import type { ClientMiddleware } from '@/lib/aip/protocol/client-protocol';
import { MessageRefused } from '@/lib/aip/protocol/middleware/middleware';
import { createFailingTransport } from '@/lib/aip/testing/failing-transport';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { listenOn } from '@/lib/aip/testing/wire';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { ConnectError, type Transport } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createConstellationConnection } from './constellation-connection';
import type { ConstellationConnectionOptions, LinkSignal } from './constellation-types';
import { toSignal } from './to-signal';

const CONFIRMED = { type: 'heartbeat', status: 'ok', response_id: 'r' };

function aLink(options: Partial<ConstellationConnectionOptions> = {}) {
  const clock = createFakeClock();
  const signals: LinkSignal[] = [];
  const [near, far] = createMemoryPair();
  const server = listenOn(far);
  const endpoint = createConstellationConnection({
    createTransport: () => near,
    clock,
    random: createFakeRandom(),
    logger: silentLogger,
    clientId: 'orrery-1@dev-1',
    targetId: 'dev-1',
    taskName: 'run-1',
    extensions: [],
    onSignal: (signal) => {
      signals.push(signal);
    },
    ...options,
  });
  const kinds = () => signals.map(({ kind }) => kind).filter((kind) => kind !== 'heard');
  return { endpoint, server, clock, signals, kinds };
}

async function anOpenLink(options: Partial<ConstellationConnectionOptions> = {}, confirmation: JsonObject = CONFIRMED) {
  const link = aLink(options);
  const opening = link.endpoint.open();
  await settle();
  await link.server.say(confirmation);
  const opened = await opening;
  expect(opened.ok).toBe(true);
  link.server.heard();
  return link;
}

describe('opening', () => {
  test('[AIP-34] the first frame is the REGISTER of a constellation for its device', async () => {
    const { endpoint, server } = aLink({ extensions: ['device_info'] });
    const opening = endpoint.open();
    await settle();

    expect(server.heard()).toMatchObject([
      {
        type: 'register',
        status: 'ok',
        client_type: 'constellation',
        client_id: 'orrery-1@dev-1',
        target_id: 'dev-1',
        metadata: {
          type: 'constellation_client',
          task_name: 'run-1',
          targeted_device_id: 'dev-1',
          capabilities: ['task_distribution', 'session_management', 'device_coordination'],
          version: '2.0',
          extensions: ['device_info'],
        },
      },
    ]);
    await server.say({ ...CONFIRMED, result: { extensions: ['device_info', 'log'] } });
    expect(await opening).toEqual({ ok: true, value: { extensions: ['device_info'] } });
  });

  test('a stock server hears of no extension when none is wanted', async () => {
    const { endpoint, server } = aLink();
    void endpoint.open();
    await settle();

    expect(server.heard()[0]?.metadata).not.toHaveProperty('extensions');
  });

  test('[AIP-45] an error is a refusal with its text, and the connection is closed', async () => {
    const { endpoint, server, signals } = aLink();
    const opening = endpoint.open();
    await server.say({ type: 'error', status: 'error', error: "Target device 'dev-1' is not connected" });

    expect(await opening).toEqual({
      ok: false,
      error: { code: 'refused', message: "Target device 'dev-1' is not connected" },
    });
    expect(server.transport.state).toBe('disconnected');
    expect(signals).toEqual([]);
  });

  test('[AIP-45] silence is a refusal after the deadline; other frames do not count', async () => {
    const { endpoint, server, clock } = aLink();
    const opening = endpoint.open();
    await settle();
    await server.say({ type: 'heartbeat', status: 'continue' });
    await server.transport.send('{');
    await clock.advance(10_000);

    expect(await opening).toMatchObject({ ok: false, error: { code: 'register-timeout' } });
    expect(server.transport.state).toBe('disconnected');
  });

  test('a server that closes instead of answering is heard', async () => {
    const { endpoint, server } = aLink();
    const opening = endpoint.open();
    await settle();
    await server.transport.close(1000, '');

    expect(await opening).toMatchObject({ ok: false, error: { code: 'closed' } });
  });

  test.each([
    ['unauthorized', 'unauthorized'],
    ['invalid-url', 'invalid-url'],
    ['refused', 'connect-failed'],
    ['dns', 'connect-failed'],
  ] as const)('[AIP-27] a connection that fails as %s is told as %s', async (cause, code) => {
    const createTransport = () => createFailingTransport(new ConnectError(cause, 'no way'));

    expect(await aLink({ createTransport }).endpoint.open()).toEqual({ ok: false, error: { code, message: 'no way' } });
  });

  test('a transport that neither connects nor fails is given up after 120 s', async () => {
    const [near] = createMemoryPair();
    const createTransport = () => ({ ...near, connect: () => new Promise<void>(() => {}) });
    const { endpoint, clock } = aLink({ createTransport });
    const opening = endpoint.open();
    await clock.advance(120_000);

    expect(await opening).toMatchObject({ ok: false, error: { code: 'connect-failed' } });
  });

  test('opening can be given up while the server is silent', async () => {
    const { endpoint, server } = aLink();
    const { cancellation, cancel } = createCancellation();
    const opening = endpoint.open(cancellation);
    await settle();
    cancel();

    expect(await opening).toMatchObject({ ok: false, error: { code: 'closed' } });
    expect(server.transport.state).toBe('disconnected');
  });

  test('closing while opening ends both', async () => {
    const { endpoint } = aLink();
    const opening = endpoint.open();
    await settle();
    await endpoint.close(1000, 'removed');

    expect(await opening).toMatchObject({ ok: false, error: { code: 'closed' } });
  });
});

describe('what the wire spells alike', () => {
  const open = { phase: 'open', extensions: ['log', 'device_info'] } as const;

  test('heartbeat with ok is a registration, an accepted task or a sign of life', () => {
    const registering = { phase: 'registering', announced: [] } as const;

    expect(toSignal({ type: 'heartbeat', status: 'ok' }, registering).kind).toBe('registered');
    expect(toSignal({ type: 'heartbeat', status: 'ok' }, open).kind).toBe('alive');
    expect(toSignal({ type: 'heartbeat', status: 'ok', session_id: '' }, open).kind).toBe('alive');
    expect(toSignal({ type: 'heartbeat', status: 'ok', session_id: 's' }, open).kind).toBe('task-accepted');
  });

  test.each(['ok', 'continue', 'failed', 'error'] as const)('TASK_END with status %s is not completed', (status) => {
    expect(toSignal({ type: 'task_end', status, session_id: 's' }, open)).toMatchObject({
      kind: 'task-ended',
      status: 'failed',
      rawStatus: status,
    });
  });

  test.each([null, false, 0, '', 'x', [1], { a: 1 }])('[AIP-76] a result of any kind is passed on: %j', (result) => {
    const signal = toSignal({ type: 'task_end', status: 'completed', session_id: 's', result }, open);

    expect(signal).toMatchObject({ kind: 'task-ended', result });
  });

  test('log frames and pushed information count only when agreed', () => {
    const log: ServerMessage = { type: 'heartbeat', status: 'continue', session_id: 's', messages: ['m'] };
    const push: ServerMessage = { type: 'device_info_response', status: 'ok', result: { a: 1 } };
    const stock = { phase: 'open', extensions: [] } as const;

    expect(toSignal(log, open)).toEqual({ kind: 'log', sessionId: 's', messages: ['m'] });
    expect(toSignal(log, stock).kind).toBe('alive');
    expect(toSignal(push, open)).toEqual({ kind: 'info-pushed', info: { a: 1 } });
    expect(toSignal(push, stock).kind).toBe('ignored');
  });
});

describe('tasks', () => {
  const TASK = { sessionId: 's-1', taskName: 'galaxy/run-1/t', request: 'do it', timeoutSeconds: 30 };

  test('[AIP-65] a TASK carries target, request, name and session', async () => {
    const { endpoint, server } = await anOpenLink();

    expect(await endpoint.sendTask(TASK)).toEqual({ ok: true, value: null });

    await settle();
    const [task] = server.heard();
    expect(task).toMatchObject({
      type: 'task',
      status: 'continue',
      client_type: 'constellation',
      client_id: 'orrery-1@dev-1',
      target_id: 'dev-1',
      session_id: 's-1',
      task_name: 'galaxy/run-1/t',
      request: 'do it',
    });
    expect(task).not.toHaveProperty('metadata');
  });

  test('a time limit is sent only where it is agreed', async () => {
    const { endpoint, server } = await anOpenLink(
      { extensions: ['deadline'] },
      { ...CONFIRMED, result: { extensions: ['deadline'] } },
    );
    await endpoint.sendTask(TASK);
    await settle();

    expect(server.heard()[0]?.metadata).toEqual({ timeout_seconds: 30 });
  });

  test('signals come in the order of the frames, one at a time', async () => {
    const order: string[] = [];
    let release = () => {};
    const { server } = await anOpenLink({
      onSignal: async (signal) => {
        if (signal.kind === 'heard') return;
        order.push(`begin ${signal.kind}`);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        order.push(`end ${signal.kind}`);
      },
    });
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await server.say({ type: 'heartbeat', status: 'ok', session_id: 's' });
    await settle();
    expect(order).toEqual(['begin task-ended']);
    release();
    await settle();
    release();
    await settle();

    expect(order).toEqual(['begin task-ended', 'end task-ended', 'begin task-accepted', 'end task-accepted']);
  });

  test('[AIP-58] an error is told as a refusal, is never answered, and the link stays', async () => {
    const { server, signals } = await anOpenLink();
    await server.say({ type: 'error', status: 'error', error: 'no' });
    await settle();

    expect(signals).toContainEqual({ kind: 'refused', message: 'no' });
    expect(server.heard()).toEqual([]);
    expect(server.transport.state).toBe('connected');
  });

  test('[AIP-96] frames that cannot be read are dropped, and still are a sign of life', async () => {
    const { server, kinds, signals } = await anOpenLink();
    for (const text of ['{', '[]', '{"type":"zzz","status":"ok"}', '']) {
      await server.transport.send(text);
    }
    await server.transport.send(Uint8Array.of(1));
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await settle();

    expect(kinds()).toEqual(['task-ended']);
    expect(signals.filter(({ kind }) => kind === 'heard')).toHaveLength(6);
  });

  test('[AIP-96] a message in a binary frame is read, as stock constellations read it', async () => {
    const { server, signals } = await anOpenLink();
    const text = JSON.stringify({ type: 'task_end', status: 'completed', session_id: 's', result: 'é' });
    await server.transport.send(new TextEncoder().encode(text));
    await server.transport.send(Uint8Array.of(0xff, 0xfe));
    await settle();

    expect(signals.filter(({ kind }) => kind !== 'heard')).toMatchObject([{ kind: 'task-ended', result: 'é' }]);
    expect(server.transport.state).toBe('connected');
  });

  test('a message that breaks a rule of the library is dropped', async () => {
    const { server, kinds } = await anOpenLink();
    await server.say({ type: 'task_end', status: 'completed', session_id: ' ' });
    await server.say({ type: 'heartbeat', status: 'continue', messages: ['whose?'] });
    await settle();

    expect(kinds()).toEqual([]);
  });

  test('a server that takes nothing of a message is gone after 120 s', async () => {
    const [near, far] = createMemoryPair();
    let isStuck = false;
    const send: Transport['send'] = (data) => (isStuck ? new Promise(() => {}) : near.send(data));
    const stuck: Transport = new Proxy(near, {
      get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
    });
    const clock = createFakeClock();
    const link = aLink({ createTransport: () => stuck, clock, timing: { deadAfterMs: 10_000_000 } });
    const opening = link.endpoint.open();
    await settle();
    await far.send(JSON.stringify(CONFIRMED));
    await opening;
    isStuck = true;
    const sending = link.endpoint.sendTask(TASK);
    await clock.advance(120_000);

    expect(await sending).toMatchObject({ ok: false, error: { code: 'timeout' } });
    expect(link.kinds()).toEqual(['closed']);
  });

  test('sending on a link that is not open is an answer', async () => {
    expect(await aLink().endpoint.sendTask(TASK)).toMatchObject({ ok: false, error: { code: 'closed' } });
    const { endpoint, server } = await anOpenLink();
    server.transport.terminate();
    expect(await endpoint.sendTask(TASK)).toMatchObject({ ok: false, error: { code: 'closed' } });
  });
});

describe('extensions', () => {
  const AGREED = { ...CONFIRMED, result: { extensions: ['cancel', 'log', 'device_info', 'file', 'unheard-of'] } };
  const ALL = ['cancel', 'log', 'device_info', 'file'] as const;

  test('are readable once they are agreed; one that cannot be kept or was not announced is not among them', async () => {
    expect(aLink({ extensions: ALL }).endpoint.extensions).toEqual([]);
    const { endpoint } = await anOpenLink({ extensions: ALL }, AGREED);

    expect(endpoint.extensions).toEqual(['cancel', 'log', 'device_info']);
    expect(endpoint.isOpen).toBe(true);
  });

  test('one task is cancelled only where that is agreed; a stock server hears nothing of it', async () => {
    const stock = await anOpenLink({ extensions: ALL });
    expect(await stock.endpoint.cancelTask('s-1')).toMatchObject({ ok: false, error: { code: 'not-agreed' } });
    await settle();
    expect(stock.server.heard()).toEqual([]);

    const { endpoint, server } = await anOpenLink({ extensions: ALL }, AGREED);
    expect(await endpoint.cancelTask('s-1')).toEqual({ ok: true, value: null });
    await settle();
    expect(server.heard()).toMatchObject([
      {
        type: 'task_end',
        status: 'failed',
        client_type: 'constellation',
        client_id: 'orrery-1@dev-1',
        session_id: 's-1',
      },
    ]);
    expect(await aLink().endpoint.cancelTask('s-1')).toMatchObject({ ok: false, error: { code: 'closed' } });
  });

  test('logs and information that come unasked are signals', async () => {
    const { server, signals } = await anOpenLink({ extensions: ALL }, AGREED);
    await server.say({ type: 'heartbeat', status: 'continue', session_id: 's-1', messages: ['a', 'b'] });
    await server.say({ type: 'device_info_response', status: 'ok', result: { platform: 'linux' } });
    await settle();

    expect(signals).toContainEqual({ kind: 'log', sessionId: 's-1', messages: ['a', 'b'] });
    expect(signals).toContainEqual({ kind: 'info-pushed', info: { platform: 'linux' } });
  });

  test('whoever takes files sees their frames first, and hears of the end', async () => {
    const taken: string[] = [];
    const files = () => ({
      async take({ kind }: { readonly kind: string }) {
        if (kind !== 'binary') return false;
        taken.push(kind);
        return true;
      },
      close: () => void taken.push('closed'),
    });
    const { server, kinds } = await anOpenLink({ extensions: ALL, files }, AGREED);
    await server.transport.send(Uint8Array.of(1, 2));
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await settle();
    expect(kinds()).toEqual(['task-ended']);
    server.transport.terminate();
    await settle();
    expect(taken).toEqual(['binary', 'closed']);
  });
});

describe('what a user hangs in', () => {
  test('gets the protocol before anything is sent, and sees each message after the link itself', async () => {
    const seen: string[] = [];
    const { server } = await anOpenLink({
      middlewares: [
        {
          name: 'note',
          outgoing(message) {
            seen.push(`out ${message.type}`);
            return message;
          },
        },
      ],
      onProtocol(protocol) {
        seen.push('protocol');
        protocol.on('task_end', ({ session_id }) => {
          seen.push(`handled ${session_id}`);
        });
        protocol.on('task_end', () => {
          throw new Error('a handler that breaks');
        });
      },
      onSignal({ kind }) {
        if (kind !== 'heard') seen.push(kind);
      },
    });
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await settle();

    expect(seen).toEqual(['protocol', 'out register', 'task-ended', 'handled s']);
    expect(server.transport.state).toBe('connected');
  });

  test('may hang for ever without keeping the link from its work', async () => {
    const { server, kinds, clock } = await anOpenLink({
      onProtocol: (protocol) => protocol.on('heartbeat', () => new Promise<void>(() => {})),
    });
    for (let time = 0; time < 50; time += 1) await server.say(CONFIRMED);
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await clock.advance(1_000);

    expect(kinds()).toEqual(['task-ended']);
  });

  test('the end of a task that a middleware lets go no further is told as one that cannot be read', async () => {
    const strict: ClientMiddleware = {
      name: 'strict',
      incoming(message) {
        if (message.type === 'task_end') throw new MessageRefused('no ends');
        return message;
      },
    };
    const { server, signals } = await anOpenLink({ middlewares: [strict] });
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await settle();

    expect(signals).toContainEqual({ kind: 'task-unreadable', sessionId: 's', message: 'strict: no ends' });
  });
});

describe('life and death', () => {
  test('[AIP-52][AIP-57] it beats as a constellation every 20 s', async () => {
    const { server, clock } = await anOpenLink();
    for (let beat = 0; beat < 3; beat += 1) {
      await clock.advance(20_000);
      await server.say(CONFIRMED);
    }
    await settle();

    const beats = server.heard();
    expect(beats).toHaveLength(3);
    for (const frame of beats) {
      expect(frame).toMatchObject({ type: 'heartbeat', client_type: 'constellation', client_id: 'orrery-1@dev-1' });
    }
  });

  test('a server that is silent for 60 s is dead; the reason says so', async () => {
    const { clock, signals, server } = await anOpenLink();
    await clock.advance(59_999);
    expect(signals).toEqual([]);
    await clock.advance(1);

    expect(signals).toEqual([{ kind: 'closed', code: 1006, reason: 'No message for 60 s' }]);
    expect(server.transport.state).toBe('disconnected');
  });

  test('a reader that is busy does not mistake its own silence for the server’s', async () => {
    let release = () => {};
    const { clock, server } = await anOpenLink({
      onSignal: (signal) =>
        signal.kind === 'task-ended' ? new Promise<void>((resolve) => (release = resolve)) : undefined,
    });
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    await clock.advance(600_000);

    expect(server.transport.state).toBe('connected');
    release();
    await clock.advance(120_000);
    expect(server.transport.state).toBe('disconnected');
  });

  test('the end is told once and last, behind the frames that came before it', async () => {
    const { server, kinds } = await anOpenLink();
    await server.say({ type: 'task_end', status: 'completed', session_id: 's' });
    server.transport.terminate();
    await settle();

    expect(kinds()).toEqual(['task-ended', 'closed']);
  });

  test('our own close is told with our reason, also when it is called from a signal', async () => {
    const signals: LinkSignal[] = [];
    const link = await anOpenLink({
      onSignal: async (signal) => {
        signals.push(signal);
        if (signal.kind === 'refused') await link.endpoint.close(1000, 'cancelled by an operator');
      },
    });
    await link.server.say({ type: 'error', status: 'error', error: 'no' });
    await settle();

    expect(signals.at(-1)).toEqual({ kind: 'closed', code: 1000, reason: 'cancelled by an operator' });
    expect(signals.filter(({ kind }) => kind === 'closed')).toHaveLength(1);
  });

  test('an owner that breaks on a signal loses the link and hears of its end', async () => {
    const kinds: string[] = [];
    const { server } = await anOpenLink({
      onSignal: ({ kind }) => {
        kinds.push(kind);
        if (kind === 'refused') throw new Error('broken');
      },
    });
    await server.say({ type: 'error', status: 'error', error: 'no' });
    await settle();

    expect(server.transport.state).toBe('disconnected');
    expect(kinds).toEqual(['heard', 'refused', 'closed']);
  });
});

describe('device information', () => {
  const answer = (requestId: unknown, result: JsonObject): JsonObject => ({
    type: 'device_info_response',
    status: 'ok',
    response_id: String(requestId),
    result,
  });

  test('a stock server’s answer is what it knew, not what is', async () => {
    const { endpoint, server } = await anOpenLink();
    const asking = endpoint.requestDeviceInfo();
    await settle();
    const [question] = server.heard();
    expect(question).toMatchObject({ type: 'device_info_request', client_type: 'constellation', target_id: 'dev-1' });
    await server.say(answer('somebody else', { platform: 'mac' }));
    await server.say(answer(question?.request_id, { platform: 'linux' }));

    expect(await asking).toEqual({ ok: true, info: { platform: 'linux' }, fresh: false });
  });

  test.each([
    [{ platform: 'linux' }, true],
    [{ platform: 'linux', stale: true }, false],
  ])('with the extension, %j is fresh: %s', async (info, fresh) => {
    const { endpoint, server } = await anOpenLink(
      { extensions: ['device_info'] },
      { ...CONFIRMED, result: { extensions: ['device_info'] } },
    );
    const asking = endpoint.requestDeviceInfo();
    await settle();
    await server.say(answer(server.last?.request_id, info));

    expect(await asking).toEqual({ ok: true, info: { platform: 'linux' }, fresh });
  });

  test('[AIP-62] an unknown device and silence are no reason to end the link', async () => {
    const { endpoint, server, clock } = await anOpenLink();
    const asking = endpoint.requestDeviceInfo();
    await settle();
    await server.say(answer(server.last?.request_id, { error: 'Device dev-1 not found' }));
    expect(await asking).toEqual({ ok: false, reason: 'unknown-device', message: 'Device dev-1 not found' });

    const unanswered = endpoint.requestDeviceInfo();
    await clock.advance(10_000);
    expect(await unanswered).toMatchObject({ ok: false, reason: 'timeout' });
    expect(server.transport.state).toBe('connected');
  });

  test('a question that is on its way when the link ends is answered at once', async () => {
    const { endpoint, server } = await anOpenLink();
    const asking = endpoint.requestDeviceInfo();
    await settle();
    server.transport.terminate();

    expect(await asking).toMatchObject({ ok: false, reason: 'closed' });
    expect(await endpoint.requestDeviceInfo()).toMatchObject({ ok: false, reason: 'closed' });
  });
});
