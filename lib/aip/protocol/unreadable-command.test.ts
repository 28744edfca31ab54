import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUnreadableCommand } from './unreadable-command';

const IDS = '"session_id":"s","response_id":"r"';

test.each([
  [
    'an action without its type',
    `{"type":"command","status":"continue",${IDS},"actions":[{"tool_name":"a","call_id":"c"}]}`,
  ],
  ['an unknown status', `{"type":"command","status":"soon",${IDS},"actions":[{"call_id":"c"}]}`],
  ['no status', `{"type":"command",${IDS},"actions":[{"call_id":"c"}]}`],
  [
    'nesting that is too deep',
    `{"type":"command",${IDS},"actions":[{"call_id":"c","parameters":{"a":${'['.repeat(900)}${']'.repeat(900)}}}]}`,
  ],
  ['half a character', `{"type":"command",${IDS},"actions":[{"call_id":"c","parameters":{"a":"\\ud800"}}]}`],
])('the ids of a COMMAND with %s can be read', (_name, text) => {
  expect(readUnreadableCommand(text)).toEqual({
    status: 'continue',
    session_id: 's',
    response_id: 'r',
    callIds: ['c'],
  });
});

test('what cannot be read of it is absent, and every action keeps its place', () => {
  const text = '{"type":"command","status":"failed","session_id":5,"actions":[1,null,{"call_id":7},{"call_id":"c"}]}';
  expect(readUnreadableCommand(text)).toEqual({
    status: 'failed',
    session_id: undefined,
    response_id: undefined,
    callIds: [undefined, undefined, undefined, 'c'],
  });
  expect(readUnreadableCommand('{"type":"command","actions":"all"}')?.callIds).toEqual([]);
});

test.each(['', '{', '[]', '"command"', '{"type":"COMMAND"}', '{"type":["command"]}', '{"type":"heartbeat"}'])(
  '%s is no COMMAND',
  (text) => {
    expect(readUnreadableCommand(text)).toBeUndefined();
  },
);

test('no text is too much for it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => `{"type":"command","actions":${json}}`),
      ),
      (text) => {
        readUnreadableCommand(text);
      },
    ),
    { seed: 7, numRuns: 2_000 },
  );
  expect(readUnreadableCommand(`{"type":"command","a":${'['.repeat(100_000)}`)).toBeUndefined();
});
