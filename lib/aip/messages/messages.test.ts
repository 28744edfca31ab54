import { expect, test } from 'vitest';
import type { JsonValue } from '@/lib/std/json';
import {
  buildAcknowledgement,
  buildCommandResults,
  buildTaskEnd,
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

test('a null member is absent inside, an absent client_type is a device', () => {
  const parsed = parseClientMessage('{"type":"heartbeat","status":"ok","client_id":null,"metadata":{"kept":null}}');

  expect(parsed).toStrictEqual({
    ok: true,
    value: { type: 'heartbeat', status: 'ok', client_type: 'device', metadata: { kept: null } },
  });
});

test('of two members with one name the last one counts', () => {
  const parsed = parseClientMessage('{"type":"task","type":"heartbeat","status":"ok"}');

  expect(parsed).toMatchObject({ ok: true, value: { type: 'heartbeat' } });
});

test('ten thousand levels of nesting are refused without a crash', () => {
  const text = `{"type":"heartbeat","status":"ok","metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;

  expect(parseClientMessage(text)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
});

test('the deepest message that a stock peer takes is taken', () => {
  const text = (depth: number) => `{"type":"task_end","status":"ok","result":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  expect(parseServerMessage(text(200)).ok).toBe(true);
  expect(parseServerMessage(text(201)).ok).toBe(false);
});

test('a message deeper than 200 levels is not written', () => {
  const end = (depth: number) => {
    let result: JsonValue = 'x';
    for (let level = 0; level < depth; level += 1) result = [result];
    return serialiseMessage(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r', result }, AT_MS));
  };

  expect(end(199).ok).toBe(true);
  expect(end(200)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
  expect(end(10_000)).toMatchObject({ ok: false, error: { code: 'too-deep' } });
});

test('half of a surrogate pair is replaced before it is written, in keys and in text', () => {
  const result = { 'k\ud800': ['a\udc00b', '\\ud800', '\ud83d\ude00'] };
  const text = serialiseMessage(buildTaskEnd({ sessionId: 's', status: 'completed', responseId: 'r', result }, AT_MS));

  expect(text.ok && JSON.parse(text.value).result).toEqual({ 'k\ufffd': ['a\ufffdb', '\\ud800', '\ud83d\ude00'] });
});

test('NaN and Infinity of a Python peer are null in a payload, and text that looks like them stays', () => {
  const text = '{"type":"task_end","status":"completed","error":"NaN, -Infinity","result":[NaN,{"a":-Infinity},1e400]}';

  expect(parseServerMessage(text)).toMatchObject({
    ok: true,
    value: { error: 'NaN, -Infinity', result: [null, { a: null }, null] },
  });
});

test('NaN is no text', () => {
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

test('falsy payloads of a result survive the wire', () => {
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

test('times are written in UTC with microseconds and an offset', () => {
  expect(toTimestamp(AT_MS)).toBe('2026-01-02T03:04:05.678000+00:00');
  expect(buildAcknowledgement({ responseId: 'r' }, AT_MS).timestamp).toBe('2026-01-02T03:04:05.678000+00:00');
});
