import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  buildAcknowledgement,
  buildHeartbeat,
  buildTaskEnd,
  type ClientMessage,
  type Command,
  parseServerMessage,
  type ServerMessage,
} from '@/lib/aip/messages';
import { RecordingTransport } from '@/lib/aip/testing/recording-transport';
import { createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { JsonValue } from '@/lib/std/json';
import { type LogFields, silentLogger } from '@/lib/std/logger';
import { createAipProtocol } from './aip-protocol';
import { alignResults } from './command-results';
import { readInfoAnswer } from './device-info';
import { MessageRefused } from './middleware/middleware';
import { agreedExtensions, announcedExtensions, registeredPlatform, registeredSystemInfo } from './registration';
import { runActions } from './run-actions';

function aProtocol(logged: LogFields[] = []) {
  const [near, far] = createMemoryPair();
  const logger = { ...silentLogger, error: (_what: string, fields?: LogFields) => logged.push(fields ?? {}) };
  const protocol = createAipProtocol<ClientMessage, ServerMessage>({
    transport: near,
    parse: parseServerMessage,
    logger,
  });
  return { protocol, far };
}

const HEARTBEAT = buildHeartbeat({ clientId: 'a', clientType: 'device' }, 0);
const ACKNOWLEDGEMENT = buildAcknowledgement({ responseId: 'r' }, 0);

describe('middleware', () => {
  test('outgoing messages pass in the order of adding, incoming ones in reverse', async () => {
    const { protocol, far } = aProtocol();
    const passed: string[] = [];
    for (const name of ['first', 'second']) {
      protocol.use({
        name,
        outgoing: async (message) => {
          passed.push(`out ${name}`);
          return { ...message, error: `${message.error ?? ''}${name} ` };
        },
        incoming: async (message) => {
          passed.push(`in ${name}`);
          return message;
        },
      });
    }

    await protocol.send(HEARTBEAT);
    await far.send(JSON.stringify(ACKNOWLEDGEMENT));
    await protocol.receive();

    expect(passed).toEqual(['out first', 'out second', 'in second', 'in first']);
    expect(JSON.parse(await far.receive()).error).toBe('first second ');
  });

  test('a middleware that refuses lets a message go no further, in both directions', async () => {
    const logged: LogFields[] = [];
    const { protocol, far } = aProtocol(logged);
    const refuse = () => {
      throw new MessageRefused('not after midnight');
    };
    protocol.use({ name: 'curfew', outgoing: refuse, incoming: refuse });

    expect(await protocol.send(HEARTBEAT)).toEqual({
      ok: false,
      error: { code: 'refused', message: 'not after midnight' },
    });
    await far.send(JSON.stringify(ACKNOWLEDGEMENT));
    expect(await protocol.receive()).toMatchObject({ kind: 'refused', rule: 'curfew', reason: 'not after midnight' });
    expect(logged).toEqual([]);
  });

  test('a middleware that breaks refuses its message and harms no other', async () => {
    const logged: LogFields[] = [];
    const { protocol, far } = aProtocol(logged);
    let isBroken = true;
    protocol.use({
      name: 'fragile',
      incoming: (message) => {
        if (isBroken) throw new TypeError('no such member');
        return message;
      },
    });

    await far.send(JSON.stringify(ACKNOWLEDGEMENT));
    expect(await protocol.receive()).toMatchObject({ kind: 'refused', rule: 'fragile' });
    isBroken = false;
    await far.send(JSON.stringify(ACKNOWLEDGEMENT));
    expect(await protocol.receive()).toMatchObject({ kind: 'message' });
    expect(JSON.stringify(logged)).toContain('no such member');
  });

  test('messages leave in the order of the calls, however long a middleware takes over one', async () => {
    const { protocol, far } = aProtocol();
    let release = () => {};
    protocol.use({
      name: 'slow',
      outgoing: async (message) => {
        if (message.client_id === 'slow') await new Promise<void>((resolve) => (release = resolve));
        return message;
      },
    });

    const slow = protocol.send({ ...HEARTBEAT, client_id: 'slow' });
    const quick = protocol.send({ ...HEARTBEAT, client_id: 'quick' });
    await Promise.resolve().then(() => Promise.resolve());
    release();
    await Promise.all([slow, quick]);

    expect(JSON.parse(await far.receive()).client_id).toBe('slow');
    expect(JSON.parse(await far.receive()).client_id).toBe('quick');
  });
});

describe('custom message types', () => {
  const noteSchema = z.object({ type: z.literal('note'), text: z.string() });

  test('a registered type is read, checked and handled; its handler’s fault stays its own', async () => {
    const logged: LogFields[] = [];
    const { protocol, far } = aProtocol(logged);
    const notes: string[] = [];
    protocol.onCustom('note', noteSchema, ({ text }) => {
      notes.push(text);
      throw new Error('after taking it');
    });

    await far.send('{"type":"note","text":"hello"}');
    const received = await protocol.receive();

    expect(received).toMatchObject({ kind: 'custom', type: 'note' });
    expect(await protocol.dispatch(received)).toBe(true);
    expect(notes).toEqual(['hello']);
    expect(JSON.stringify(logged)).toContain('after taking it');
  });

  test('a frame of a registered type that breaks its schema is malformed, and says where', async () => {
    const { protocol, far } = aProtocol();
    protocol.onCustom('note', noteSchema, () => {});

    await far.send('{"type":"note","text":7}');

    expect(await protocol.receive()).toMatchObject({
      kind: 'malformed',
      error: { problems: [{ path: 'text', expected: 'string', received: 'number' }] },
    });
  });

  test('without registration, and after it was taken back, the type is as unknown as any other', async () => {
    const { protocol, far } = aProtocol();
    protocol.onCustom('note', noteSchema, () => {})();

    await far.send('{"type":"note","text":"hello"}');

    expect(await protocol.receive()).toMatchObject({ kind: 'malformed' });
  });

  test.each(['heartbeat', 'command_results', 'note'])('the name %s is taken', (type) => {
    const { protocol } = aProtocol();
    protocol.onCustom('note', noteSchema, () => {});

    expect(() => protocol.onCustom(type, noteSchema, () => {})).toThrow(type);
  });

  test('a custom frame goes out under the same guards as a message', async () => {
    const { protocol, far } = aProtocol();

    await protocol.sendCustom({ type: 'note', text: 'half \ud800' });

    expect(await far.receive()).toBe('{"type":"note","text":"half \ufffd"}');
  });
});

describe('the transport', () => {
  test('may be replaced by a class of the user’s own', async () => {
    const { protocol } = aProtocol();
    const recorder = new RecordingTransport(['{"type":"heartbeat","status":"ok"}']);

    protocol.transport = recorder;
    await protocol.send(HEARTBEAT);

    expect(recorder.sent).toEqual([expect.stringContaining('"type":"heartbeat"')]);
    expect(await protocol.receive()).toMatchObject({ kind: 'message' });
    expect(await protocol.receive()).toEqual({ kind: 'closed', code: 1001, reason: 'played', clean: true });
  });

  test('a description and its bytes are neighbours, whatever else is sent', async () => {
    const { protocol, far } = aProtocol();

    await Promise.all([
      protocol.sendBinary({ type: 'binary_data', size: 2 }, Uint8Array.of(1, 2)),
      protocol.send(HEARTBEAT),
      protocol.sendBinary({ type: 'binary_data', size: 1 }, Uint8Array.of(3)),
    ]);

    const frames = [];
    for (let index = 0; index < 5; index += 1) frames.push(await far.receiveAuto());
    expect(frames.map((frame) => (typeof frame === 'string' ? JSON.parse(frame).type : [...frame]))).toEqual([
      'binary_data',
      [1, 2],
      'heartbeat',
      'binary_data',
      [3],
    ]);
  });
});

describe('handlers', () => {
  test('all handlers of a type run, even behind one that fails', async () => {
    const logged: LogFields[] = [];
    const { protocol } = aProtocol(logged);
    const ran: string[] = [];
    protocol.on('heartbeat', () => {
      throw new Error('the first one broke');
    });
    protocol.on('heartbeat', async () => {
      ran.push('second');
    });
    const forget = protocol.on('heartbeat', () => {
      ran.push('taken back');
    });
    protocol.on('error', () => {
      ran.push('other type');
    });

    forget();
    const isHandled = await protocol.dispatch({ kind: 'message', message: ACKNOWLEDGEMENT });

    expect(isHandled).toBe(true);
    expect(ran).toEqual(['second']);
    expect(JSON.stringify(logged)).toContain('the first one broke');
  });

  test('a type without a handler is said to have none', async () => {
    expect(await aProtocol().protocol.dispatch({ kind: 'message', message: ACKNOWLEDGEMENT })).toBe(false);
  });
});

describe('receiving', () => {
  test('messages, malformed text, binary frames and the end are told apart', async () => {
    const { protocol, far } = aProtocol();

    await far.send('{"type":"heartbeat","status":"ok"}');
    await far.send('{');
    await far.send(Uint8Array.of(1));
    await far.close(1000, '');

    expect(await protocol.receive()).toMatchObject({ kind: 'message', message: { type: 'heartbeat' } });
    expect(await protocol.receive()).toMatchObject({ kind: 'malformed', error: { code: 'not-json' } });
    expect(await protocol.receive()).toMatchObject({ kind: 'binary' });
    expect(await protocol.receive()).toMatchObject({ kind: 'closed' });
  });
});

describe('sending', () => {
  test('what cannot be sent is an answer, not a crash', async () => {
    const { protocol, far } = aProtocol();
    let deep: JsonValue = 0;
    for (let level = 0; level < 300; level += 1) deep = [deep];

    expect(await protocol.send({ ...HEARTBEAT, metadata: { deep } })).toMatchObject({
      ok: false,
      error: { code: 'too-deep' },
    });
    await far.close(1000, '');
    expect(await protocol.send(HEARTBEAT)).toMatchObject({ ok: false, error: { code: 'closed' } });
  });
});

test('a message larger than a peer takes does not leave, and is measured in bytes', async () => {
  const [near, far] = createMemoryPair();
  const protocol = createAipProtocol<ClientMessage, ServerMessage>({
    transport: near,
    parse: parseServerMessage,
    logger: silentLogger,
    messageBytesMax: 1_000,
  });
  const room = 1_000 - JSON.stringify({ a: '' }).length;

  expect(await protocol.sendCustom({ a: 'x'.repeat(room) })).toMatchObject({ ok: true });
  expect(await protocol.sendCustom({ a: 'ä'.repeat(room / 2) })).toMatchObject({ ok: true });
  for (const text of ['x'.repeat(room + 1), 'ä'.repeat(room / 2 + 1)]) {
    expect(await protocol.sendCustom({ a: text })).toMatchObject({ ok: false, error: { code: 'too-large' } });
  }
  expect(await protocol.sendBinary({ a: '' }, new Uint8Array(1_001))).toMatchObject({ ok: false });
  await protocol.send(HEARTBEAT);

  const received = [await far.receive(), await far.receive(), await far.receive()];
  expect(received.map((text) => new TextEncoder().encode(text).length <= 1_000)).toEqual([true, true, true]);
  expect(received[2]).toContain('heartbeat');
});

describe('results of a COMMAND', () => {
  const commands: Command[] = [
    { tool_name: 'a', tool_type: 'action', call_id: 'c1' },
    { tool_name: 'b', tool_type: 'action', call_id: 'c2' },
  ];

  test('a device that sends none, too few or too many results leaves one per command', () => {
    const success = { status: 'success' as const };

    expect(alignResults(commands, undefined).map(({ status }) => status)).toEqual(['failure', 'failure']);
    expect(alignResults(commands, [success]).map(({ status }) => status)).toEqual(['success', 'failure']);
    expect(alignResults(commands, [success, success, success])).toHaveLength(2);
  });

  test('results find their command by call_id, whatever their order', () => {
    const aligned = alignResults(commands, [
      { status: 'failure', call_id: 'c2' },
      { status: 'success', call_id: 'c1' },
    ]);

    expect(aligned.map(({ status, call_id }) => [status, call_id])).toEqual([
      ['success', 'c1'],
      ['failure', 'c2'],
    ]);
  });

  test('a tool that throws, and a result that nests too deep, are failures that say so', async () => {
    let deep: JsonValue = 0;
    for (let level = 0; level < 198; level += 1) deep = [deep];

    const thrown = await runActions(commands, () => Promise.reject(new Error('no such tool')), neverCancelled);
    const nested = await runActions(commands, async () => ({ status: 'success', result: deep }), neverCancelled);

    expect(thrown[0]).toEqual({ status: 'failure', error: 'no such tool', call_id: 'c1' });
    expect(nested[0]).toMatchObject({ status: 'failure', call_id: 'c1' });
  });

  test.each([false, 0, '', [], {}])('the payload %j stays what it is', async (payload) => {
    const results = await runActions(commands, async () => ({ status: 'success', result: payload }), neverCancelled);

    expect(results[0]?.result).toEqual(payload);
  });

  test('once nobody waits, no further action is taken', async () => {
    const { cancellation, cancel } = createCancellation();
    const taken: string[] = [];

    await runActions(
      commands,
      async ({ tool_name }) => {
        taken.push(tool_name);
        cancel();
        return { status: 'success' };
      },
      cancellation,
    );

    expect(taken).toEqual(['a']);
  });
});

describe('registration', () => {
  test('only extensions that were announced can be agreed', () => {
    const confirmation = buildAcknowledgement(
      { responseId: 'r', result: { extensions: ['device_info', 'log', 7] } },
      0,
    );

    expect(agreedExtensions(confirmation, ['device_info', 'cancel'])).toEqual(['device_info']);
    expect(agreedExtensions(ACKNOWLEDGEMENT, ['device_info'])).toEqual([]);
    expect(announcedExtensions({ ...HEARTBEAT, metadata: { extensions: 'device_info' } })).toEqual([]);
  });

  test.each([undefined, { system_info: [1] }, { system_info: null, platform: 7 }, { platform: '' }])(
    'metadata %j is no reason to stumble',
    (metadata) => {
      const register = { ...HEARTBEAT, ...(metadata && { metadata }) };

      expect(registeredSystemInfo(register)).toBeUndefined();
      expect(registeredPlatform(register)).toBe('windows');
    },
  );
});

describe('an answer about a device', () => {
  const answer = (result: JsonValue, status: ServerMessage['status'] = 'ok'): ServerMessage => ({
    type: 'device_info_response',
    status,
    result,
  });

  test('an error inside a yes means that there is no such device', () => {
    expect(readInfoAnswer(answer({ error: 'Device x not found' }))).toEqual({
      ok: false,
      error: { reason: 'unknown-device', message: 'Device x not found' },
    });
  });

  test('anything but an object, and a status error, is no information', () => {
    for (const bad of [answer([]), answer('x'), answer(null), answer({ platform: 'linux' }, 'error')]) {
      expect(readInfoAnswer(bad)).toMatchObject({ ok: false, error: { reason: 'invalid' } });
    }
  });

  test('information from memory is marked and the mark is taken off', () => {
    expect(readInfoAnswer(answer({ platform: 'linux', stale: true }))).toEqual({
      ok: true,
      value: { info: { platform: 'linux' }, isStale: true },
    });
    expect(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r' }, 0).result).toBeUndefined();
  });
});
