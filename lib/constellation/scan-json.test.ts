import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from './scan-json';

test('whatever JSON.parse takes is taken, in any spacing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      expect(scanJson(JSON.stringify(value, null, space)).fault).toBeNull();
    }),
  );
});

test('whatever JSON.parse refuses is refused, and the other way round', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '"\\x"',
    '"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
    'x',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(scanJson(text).fault === null).toBe(isJson(text));
    }),
    { numRuns: 3_000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['', 'line 1, column 1'],
  ['{"a": 1,}', 'line 1, column 9'],
  ['{\n "a" 1}', 'line 2, column 6'],
  ['[1,\n2\n3]', 'line 3, column 1'],
  ['{} {}', 'line 1, column 4'],
  ['["a\nb"]', 'line 1, column 2'],
])('the fault of %j is found where it is', (text, place) => {
  const { fault } = scanJson(text);
  expect(`line ${fault?.line}, column ${fault?.column}`).toBe(place);
});

test('keys that stand twice are found at any depth, and only in one object', () => {
  const text = '{"a": {"x": 1, "x": 2},\n"b": [{"y": 1}, {"y": 1,\n"y": 2}], "\\u0061": 3}';
  expect(scanJson(text).duplicates).toEqual([
    { path: ['a', 'x'], line: 1 },
    { path: ['b', '1', 'y'], line: 3 },
    { path: ['a'], line: 3 },
  ]);
});

test('long strings and deep nesting cost no stack', () => {
  expect(scanJson(`"${'é\\n'.repeat(500_000)}"`).fault).toBeNull();
  expect(scanJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`).fault).toBeNull();
});
