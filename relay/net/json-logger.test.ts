import { expect, test } from 'vitest';
import type { LogLevel } from '@/lib/std/logger';
import { createJsonLogger } from './json-logger';

function loggerInto(lines: string[], level: LogLevel | 'silent' = 'debug') {
  const clock = { now: () => 0, after: () => () => {}, every: () => () => {} };
  return createJsonLogger({ stream: { write: (line) => lines.push(line) }, clock, level });
}

test('a fact is one line of JSON with its level, time and name', () => {
  const lines: string[] = [];

  loggerInto(lines).info('link-open', { deviceId: 'linux-1', afterMs: 12, nothing: undefined });

  expect(lines).toEqual([
    '{"level":"info","at":"1970-01-01T00:00:00.000Z","what":"link-open","deviceId":"linux-1","afterMs":12}\n',
  ]);
});

test('text of a device cannot break out of its line', () => {
  const lines: string[] = [];

  loggerInto(lines).warn('frame-dropped', { message: 'a\nb\u001b[31m\u009b31m\u2028\r\n{"level":"error"}' });

  expect(lines).toHaveLength(1);
  for (const control of ['\n', '\r', '\u001b', '\u009b', '\u2028']) expect(lines[0]?.trimEnd()).not.toContain(control);
});

test('secrets are taken out by the name of their field, however deep', () => {
  const lines: string[] = [];

  loggerInto(lines).info('x', {
    token: 'hunter2',
    headers: { Authorization: 'hunter2', cookie: ['hunter2'], 'x-api-key': 'hunter2' },
    list: [{ ticketId: 'hunter2' }],
    tokens: 3,
  });

  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('"tokens":3');
});

test('URLs lose query and user info wherever they stand in a text', () => {
  const lines: string[] = [];

  loggerInto(lines).error('x', {
    url: 'ws://user:hunter2@10.0.0.1:5000/ws?token=hunter2#hunter2',
    message: 'cannot reach wss://h/ws?token=hunter2, and /ws?token=hunter2&b=1',
    odd: 'ws://[broken:hunter2@',
  });

  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('ws://10.0.0.1:5000/ws');
});

test('a URL inside of a sentence stays readable', () => {
  const lines: string[] = [];

  loggerInto(lines).warn('x', {
    reason: 'Cannot connect to ws://127.0.0.1:1: nothing listens; see wss://h/ws?a=hunter2.',
  });

  expect(lines.join('')).toContain('Cannot connect to ws://127.0.0.1:1: nothing listens; see wss://h/ws');
  expect(lines.join('')).not.toContain('hunter2');
});

test('lines below the level are not written', () => {
  const lines: string[] = [];
  const logger = loggerInto(lines, 'warn');

  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');

  expect(lines.map((line) => JSON.parse(line).what)).toEqual(['c', 'd']);
});

test('a fact cannot overwrite its own name or level', () => {
  const lines: string[] = [];

  loggerInto(lines).info('real', { what: 'forged', level: 'error' });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ what: 'real', level: 'info' });
});
