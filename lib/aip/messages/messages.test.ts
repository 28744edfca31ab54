import { expect, test } from 'vitest';
import type { JsonValue } from '@/lib/std/json';
import {
  buildAcknowledgement,
  buildCommandResults,
  buildTaskEnd,
  fileTransferStartSchema,
  parseClientMessage,
  parseServerMessage,
  serialiseMessage,
  toTimestamp,
} from './index';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

test('an error says which member is wrong, what was expected and what came', () => {
  const parsed = parseClientMessage('{"type":"TASK","status":"ok","client_id":5}');

  expect(parsed).toMatchObject({ ok: false, error: { code: 'wrong-shape' } });
  const message = parsed.ok ? '' : parsed.error.message;
  expect(message).toContain('type: expected "task" or "heartbeat"');
  expect(message).toContain('got "TASK"');
  expect(message).toContain('client_id: expected string, got number');
});

test('an error never repeats what stood in a free member', () => {
  const parsed = parseServerMessage('{"type":"error","status":"ok","error":{"token":"hunter2"},"messages":"hunter2"}');

  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

test('an error about text that is no JSON says where, and quotes nothing', () => {
  const parsed = parseClientMessage('{"token":"hunter2",}');

  expect(parsed).toMatchObject({ ok: false, error: { code: 'not-json' } });
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

test('[AIP-4] a null member is absent inside, an absent client_type is a device', () => {
  const parsed = parseClientMessage('{"type":"heartbeat","status":"ok","client_id":null,"metadata":{"kept":null}}');

  expect(parsed).toStrictEqual({
    ok: true,
    value: { type: 'heartbeat', status: 'ok', client_type: 'device', metadata: { kept: null } },
  });
});

test('[AIP-14] of two members with one name the last one counts, at any depth', () => {
  const parsed = parseClientMessage(
    '{"type":"task","type":"heartbeat","status":"ok","metadata":{"a":1,"a":{"b":2,"b":3}}}',
  );

  expect(parsed).toMatchObject({ ok: true, value: { type: 'heartbeat', metadata: { a: { b: 3 } } } });
});

test('[AIP-13] ten thousand levels of nesting are refused without a crash', () => {
  const text = `{"type":"heartbeat","status":"ok","metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;

  expect(parseClientMessage(text)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
});

test('[AIP-13] the deepest message that a stock peer takes is taken', () => {
  const text = (depth: number) => `{"type":"task_end","status":"ok","result":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  expect(parseServerMessage(text(200)).ok).toBe(true);
  expect(parseServerMessage(text(201)).ok).toBe(false);
});

test('[AIP-13] a message deeper than 200 levels is not written', () => {
  const end = (depth: number) => {
    let result: JsonValue = 'x';
    for (let level = 0; level < depth; level += 1) result = [result];
    return serialiseMessage(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r', result }, AT_MS));
  };

  expect(end(199).ok).toBe(true);
  expect(end(200)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
  expect(end(10_000)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
});

test('[AIP-12] half of a surrogate pair is replaced before it is written, in keys and in text', () => {
  const result = { 'k\ud800': ['a\udc00b', '\\ud800', '\ud83d\ude00'] };
  const text = serialiseMessage(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r', result }, AT_MS));

  expect(text.ok && JSON.parse(text.value).result).toEqual({ 'k\ufffd': ['a\ufffdb', '\\ud800', '\ud83d\ude00'] });
});

test('[AIP-11] NaN and Infinity of a Python peer are null in a payload, and text that looks like them stays', () => {
  const text = '{"type":"task_end","status":"completed","error":"NaN, -Infinity","result":[NaN,{"a":-Infinity},1e400]}';

  expect(parseServerMessage(text)).toMatchObject({
    ok: true,
    value: { error: 'NaN, -Infinity', result: [null, { a: null }, null] },
  });
});

test('[AIP-11] NaN is no text', () => {
  expect(parseClientMessage('{"type":"heartbeat","status":"ok","client_id":NaN}').ok).toBe(false);
});

test('a key that reaches for the prototype stays data in a payload and is dropped elsewhere', () => {
  const text = '{"type":"heartbeat","status":"ok","__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}';
  const parsed = parseClientMessage(text);

  expect(parsed.ok).toBe(true);
  if (!parsed.ok) return;
  expect(Object.keys(parsed.value)).toEqual(['type', 'status', 'client_type', 'metadata']);
  expect(Object.keys(parsed.value.metadata ?? {})).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  const written = serialiseMessage(parsed.value);
  expect(written.ok && written.value).toContain('"metadata":{"__proto__":{"polluted":1}}');
});

test('[AIP-9] falsy payloads of a result survive the wire', () => {
  const payloads: JsonValue[] = [false, 0, '', [], {}];
  const message = buildCommandResults(
    {
      clientId: 'dev-1',
      requestId: 'q',
      status: 'continue',
      sessionId: 's',
      prevResponseId: 'r',
      results: payloads.map((result) => ({ status: 'success', result })),
    },
    AT_MS,
  );
  const written = serialiseMessage(message);
  const parsed = written.ok ? parseClientMessage(written.value) : written;

  expect(parsed).toMatchObject({ ok: true, value: { action_results: payloads.map((result) => ({ result })) } });
});

test('[AIP-16] times are written in UTC with microseconds and an offset', () => {
  expect(toTimestamp(AT_MS)).toBe('2026-01-02T03:04:05.678000+00:00');
  expect(buildAcknowledgement({ responseId: 'r' }, AT_MS).timestamp).toBe('2026-01-02T03:04:05.678000+00:00');
});

test('[AIP-16] any text is taken for a time', () => {
  const parsed = parseClientMessage('{"type":"heartbeat","status":"ok","timestamp":"yesterday"}');

  expect(parsed).toMatchObject({ ok: true, value: { timestamp: 'yesterday' } });
});

test.each([
  ['type', '{"type":null,"status":"ok"}'],
  ['status', '{"type":"heartbeat","status":null}'],
  ['client_type', '{"type":"heartbeat","status":"ok","client_type":null}'],
  ['action_results[0].status', '{"type":"command_results","status":"ok","action_results":[{"status":null}]}'],
])('[AIP-5] null is refused for %s of a client', (path, text) => {
  expect(parseClientMessage(text)).toMatchObject({ ok: false, error: { problems: [{ path, received: 'null' }] } });
});

test.each([
  ['actions[0].tool_name', '{"type":"command","status":"ok","actions":[{"tool_name":null,"tool_type":"action"}]}'],
  ['actions[0].tool_type', '{"type":"command","status":"ok","actions":[{"tool_name":"a","tool_type":null}]}'],
])('[AIP-5] null is refused for %s of a server', (path, text) => {
  expect(parseServerMessage(text)).toMatchObject({ ok: false, error: { problems: [{ path, received: 'null' }] } });
});

test('[AIP-6] members that nobody knows are dropped at any depth of a message, and stay in a payload', () => {
  const parsed = parseServerMessage(
    '{"x":1,"type":"command","status":"ok","actions":[{"tool_name":"a","tool_type":"action","x":1,"parameters":{"x":1}}]}',
  );

  expect(parsed).toStrictEqual({
    ok: true,
    value: {
      type: 'command',
      status: 'ok',
      actions: [{ tool_name: 'a', tool_type: 'action', parameters: { x: 1 } }],
    },
  });
});

test('[AIP-15] a binary model keeps members that it does not know', () => {
  const start = { filename: 'a', size: 1, chunk_size: 1, total_chunks: 1, transfer_id: 't', more: { a: [1] } };

  expect(fileTransferStartSchema.parse(start)).toEqual({ type: 'file_transfer_start', ...start });
});

test('[AIP-7] a UI model that makes no sense does not fail the message around it', () => {
  const result = [{ window_info: { rectangle: { x: 'left' }, is_visible: 'perhaps' } }];
  const parsed = parseServerMessage(JSON.stringify({ type: 'task_end', status: 'completed', result }));

  expect(parsed).toMatchObject({ ok: true, value: { result } });
});

test.each([false, 0, '', [], {}, 1.5, 'text', [null], { a: null }])(
  '[AIP-9] the result %j of a task is kept',
  (result) => {
    const parsed = parseServerMessage(JSON.stringify({ type: 'task_end', status: 'completed', result }));

    expect(parsed).toStrictEqual({ ok: true, value: { type: 'task_end', status: 'completed', result } });
  },
);

test('[AIP-11] what is not finite is written as null', () => {
  const result = [Number.NaN, Number.POSITIVE_INFINITY, -Number.MAX_VALUE];
  const text = serialiseMessage(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r', result }, AT_MS));

  expect(text.ok && text.value).toContain('"result":[null,null,-1.7976931348623157e+308]');
});

test('[AIP-11] tens of thousands of NaN are read, and one misspelt token among them is not', () => {
  const text = (token: string) => `{"type":"task_end","status":"ok","result":[${'NaN,'.repeat(20_000)}${token}]}`;
  const parsed = parseServerMessage(text('-Infinity'));

  expect(parsed.ok && parsed.value.result).toEqual(new Array(20_001).fill(null));
  expect(parseServerMessage(text('Nan'))).toMatchObject({ ok: false, error: { code: 'not-json' } });
});

test('[AIP-12] half of a surrogate pair in an escape is refused, whole ones are characters', () => {
  const text = (escaped: string) => `{"type":"heartbeat","status":"ok","client_id":"${escaped}"}`;

  expect(parseClientMessage(text('\\ud83d'))).toMatchObject({ ok: false, error: { code: 'not-well-formed' } });
  expect(parseClientMessage(text('Я\\ud83d'))).toMatchObject({ ok: false, error: { code: 'not-well-formed' } });
  expect(parseClientMessage(text('\\ud83d\\ude00'))).toMatchObject({ ok: true, value: { client_id: '😀' } });
});

const MEBIBYTE = 1_048_576;

test.each([
  ['number', `{"type":"task_end","status":"ok","result":${'9'.repeat(MEBIBYTE)}}`, true],
  ['text', `{"type":"task_end","status":"ok","result":"${'a'.repeat(MEBIBYTE)}"}`, true],
  ['name', `{"type":"task_end","status":"ok","${'a'.repeat(MEBIBYTE)}":1}`, true],
  ['type', `{"type":"${'a'.repeat(MEBIBYTE)}","status":"ok"}`, false],
  ['space', `${' '.repeat(MEBIBYTE)}{"type":"task_end","status":"ok"}`, true],
  ['word that is no JSON', 'N'.repeat(MEBIBYTE), false],
])('a %s of a mebibyte is read or refused in a few words', (_what, text, isRead) => {
  const parsed = parseServerMessage(text);

  expect(parsed.ok).toBe(isRead);
  if (!parsed.ok) expect(parsed.error.message.length).toBeLessThan(300);
});
