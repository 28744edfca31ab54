import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json';

test('the order of members does not matter, at any depth', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
});

test('the order of a list and the type of a value do matter', () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
});
