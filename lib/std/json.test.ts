import { expect, test } from 'vitest';
import { type JsonValue, parseDecodedJson, parseJson } from './json';
import { isDangerouslyDeep } from './json-depth';
import { surveyJson } from './json-survey';
import { mayEscapeHalfPair } from './may-escape-half-pair';

const KEEP = { depthMax: 8, protoKey: 'keep' } as const;
const REFUSE = { depthMax: 8, protoKey: 'refuse' } as const;
const codeOf = (text: string, rules: typeof KEEP | typeof REFUSE = KEEP) => {
  const parsed = parseJson(text, rules);
  return parsed.ok ? 'ok' : parsed.error.code;
};
const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

test.each(['', ' ', '\n\t '])('%j is no text at all', (text) => {
  expect(codeOf(text)).toBe('empty');
});

test.each(['{', '[1,]', "{'a':1}", '\ufeff{}', '{} {}', '"\n"', 'NaN', '01'])('%j is no JSON', (text) => {
  expect(codeOf(text)).toBe('syntax');
});

test('what nests up to the limit is read, one level more is not, and a list counts as an object does', () => {
  expect(codeOf(lists(8))).toBe('ok');
  expect(codeOf(lists(9))).toBe('too-deep');
  expect(codeOf(objects(8))).toBe('ok');
  expect(codeOf(objects(9))).toBe('too-deep');
});

test('brackets in text are no levels, however the text is escaped', () => {
  expect(codeOf(JSON.stringify([lists(50), `\\"${lists(50)}`, { [lists(50)]: 1 }]))).toBe('ok');
});

test.each([
  ['a list', lists(4_000_000)],
  ['a list without an end', '['.repeat(4_000_000)],
  ['an object without an end', '{"a":'.repeat(2_000_000)],
  ['levels behind a long text', `["${'\\"'.repeat(1_000_000)}",${'[0,'.repeat(2_000_000)}`],
])('millions of levels are refused before they are parsed: %s', (_what, text) => {
  expect(isDangerouslyDeep(text, 8)).toBe(true);
  expect(codeOf(text)).toBe('too-deep');
});

test('a large text with millions of short lists is read', () => {
  const text = `[${'[],'.repeat(1_100_000)}"[\\"["]`;

  expect(isDangerouslyDeep(text, 8)).toBe(false);
  expect(codeOf(text)).toBe('ok');
});

test.each([
  ['as it is', '"a\ud800b"'],
  ['as an escape', '"a\\ud800b"'],
  ['as an escape in capitals', '"a\\uDFFFb"'],
  ['as an escape beside text beyond Latin-1', '"Я\\ud83dЯ"'],
  ['as an escape in a key', '{"\\udc00":1}'],
  ['as an escape in a key beyond Latin-1', '{"Я\\udc00":1}'],
  ['as two halves in the wrong order', '"\\ude00\\ud83d"'],
  ['deep inside', '[[{"a":[1,"\\ud83d"]}]]'],
])('half of a surrogate pair is refused: %s', (_how, text) => {
  expect(codeOf(text)).toBe('not-well-formed');
});

test.each(['"\\ud83d\\ude00"', '"😀"', '"\\\\ud800"', '"Я\\\\ud800"', '"\\u00e9"', '"\\ud83d\\ude00Я"'])(
  '%s holds whole characters only',
  (text) => {
    expect(codeOf(text)).toBe('ok');
  },
);

test('only a text that can hold half of a pair has its strings looked at', () => {
  expect(mayEscapeHalfPair('{"a":"plain é"}')).toBe(false);
  expect(mayEscapeHalfPair('{"a":"Задача\\n"}')).toBe(false);
  expect(mayEscapeHalfPair('{"a":"\\ud83d"}')).toBe(true);
  expect(mayEscapeHalfPair('{"a":"Задача \\uD83D"}')).toBe(true);
});

test('a key that reaches for the prototype is refused or kept as data, however it is spelt', () => {
  for (const text of ['[{"__proto__":{"a":1}}]', '[{"\\u005f_proto__":{"a":1}}]']) {
    expect(codeOf(text, REFUSE)).toBe('forbidden-key');
    const parsed = parseJson(text, KEEP);
    const [bare] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
    expect(Object.getPrototypeOf(bare)).toBeNull();
    expect(Object.keys(bare)).toEqual(['__proto__']);
    expect(Object.getOwnPropertyDescriptor(bare, '__proto__')?.value).toEqual({ a: 1 });
  }
});

test('text that speaks of the prototype is text', () => {
  expect(codeOf('{"a":"__proto__"}', REFUSE)).toBe('ok');
});

test('a number beyond the doubles is told', () => {
  const overflow = (text: string) => {
    const parsed = parseDecodedJson(text, KEEP);
    return parsed.ok && parsed.value.hasOverflow;
  };

  expect(overflow('[1e308,-5,0.1]')).toBe(false);
  expect(overflow('{"a":[1e309]}')).toBe(true);
  expect(overflow(`[-${'9'.repeat(400)}]`)).toBe(true);
});

test('a survey of a value that refers to itself ends', () => {
  const loop: JsonValue[] = [];
  loop.push(loop);

  expect(surveyJson(loop, { depthMax: 200, text: 'suspect' })).toBeUndefined();
});
