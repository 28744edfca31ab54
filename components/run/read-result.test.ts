import { expect, test } from 'vitest';
import type { JsonValue } from '@/lib/std/json';
import { readResult, toReadableText } from './read-result';

const inline = (value: JsonValue) => readResult({ kind: 'inline', value });

test('every round of a session is a part of its own', () => {
  expect(
    inline([
      { request: '$ df -h', result: 'disk 71%' },
      { request: 'next', result: null },
    ]),
  ).toEqual([
    { kind: 'round', number: 1, request: '$ df -h', result: 'disk 71%' },
    { kind: 'round', number: 2, request: 'next', result: null },
  ]);
});

test('the evaluation is a part of its own, also when it repeats the request', () => {
  const parts = inline([
    { request: 'a', result: 'b' },
    { complete: 'yes', reason: 'all rows are there', sub_scores: { rows: 'yes' }, level: 'session', request: ['a'] },
  ]);
  expect(parts[1]).toEqual({
    kind: 'evaluation',
    verdict: 'yes',
    reason: 'all rows are there',
    scores: [{ name: 'rows', value: 'yes' }],
    rest: { level: 'session', request: ['a'] },
  });
});

test('scores are read from both shapes that evaluators use', () => {
  const [part] = inline([{ complete: 'no', sub_scores: [{ name: 'rows', evaluation: 'no' }] }]);
  expect(part).toMatchObject({ scores: [{ name: 'rows', value: 'no' }] });
});

test('a result of any other shape is shown as it is', () => {
  expect(inline({ failure: 'session ended with an error' })).toEqual([
    { kind: 'value', value: { failure: 'session ended with an error' } },
  ]);
  expect(inline(null)).toEqual([{ kind: 'value', value: null }]);
  expect(inline(['a'])).toEqual([{ kind: 'value', value: 'a' }]);
});

test('an empty list of rounds and a result that is not there yet have no parts', () => {
  expect(inline([])).toEqual([]);
  expect(readResult({ kind: 'none' })).toEqual([]);
});

test('text is shown without quotes, other values as indented JSON', () => {
  expect(toReadableText('a "b"')).toBe('a "b"');
  expect(toReadableText({ a: 1 })).toBe('{\n  "a": 1\n}');
});
