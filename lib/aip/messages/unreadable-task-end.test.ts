import { expect, test } from 'vitest';
import { parseServerMessage, sessionOfUnreadableEnd } from './index';

const end = (rest: string) => `{"type":"task_end","session_id":"s-1",${rest}}`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test.each([
  ['a status that nobody knows', end('"status":"cancelled"')],
  ['a result that is too deep', end(`"status":"completed","result":${nested(1_000)}`)],
  ['a result with half of a character', end('"status":"completed","result":"\\ud83d"')],
  ['numbers that only Python writes', end('"status":"done","result":[NaN,-Infinity]')],
  ['a prototype among its members', end('"status":"done","__proto__":{"session_id":"x"}')],
])('a TASK_END with %s still names its session', (_what, text) => {
  expect(parseServerMessage(text).ok).toBe(false);
  expect(sessionOfUnreadableEnd(text)).toBe('s-1');
});

test.each([
  ['another type', '{"type":"heartbeat","session_id":"s-1","status":"?"}'],
  ['an empty session', '{"type":"task_end","session_id":"","status":"?"}'],
  ['no session', '{"type":"task_end","status":"?"}'],
  ['a session that is no text', '{"type":"task_end","session_id":{},"status":"?"}'],
  ['a list', '[{"type":"task_end","session_id":"s-1"}]'],
  ['no JSON', '{"type":"task_end","session_id":"s-1"'],
  ['more levels than anyone could mean', end(`"result":${nested(2_000_000)}`)],
])('%s names no session', (_what, text) => {
  expect(sessionOfUnreadableEnd(text)).toBeUndefined();
});
