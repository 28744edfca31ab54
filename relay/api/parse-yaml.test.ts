import { expect, test } from 'vitest';
import { parseYaml } from './parse-yaml';

const nested = {
  'flow lists': (depth: number) => '['.repeat(depth) + ']'.repeat(depth),
  'flow maps': (depth: number) => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`,
  'block lists': (depth: number) => `${'- '.repeat(depth)}x`,
  'block maps': (depth: number) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
  'complex keys': (depth: number) => `${'? '.repeat(depth)}x`,
  'lists that are not closed': (depth: number) => '['.repeat(depth),
};
const kinds = Object.entries(nested);

test.each(kinds)('%s deeper than anybody writes are refused with their place', (_, write) => {
  for (const depth of [200, 1_000, 3_000]) {
    const [fault] = faults(write(depth));
    expect(fault?.message).toBe('Expected at most 64 levels of nesting; flatten the file');
    expect(fault?.path).toMatch(/^line \d+, column \d+$/);
  }
  if (write === nested['block maps']) return;
  expect(faults(write(50_000))[0]?.message).toMatch(/^Expected at most 64 levels/);
});

test.each(kinds.slice(0, 4))('%s of thirty levels are read', (_, write) => {
  expect(parseYaml(write(30)).ok).toBe(true);
});

test('a key that stands twice is named with its place, at any level', () => {
  expect(faults('devices:\n  - device_id: a\n    os: linux\n    os: windows\n')).toEqual([
    { path: 'line 4, column 5', message: 'The key "os" stands twice' },
  ]);
});

test('a file of thousands of keys is read in one go', () => {
  const text = Array.from({ length: 15_000 }, (_, index) => `key_${index}: 1`).join('\n');

  const value = parseYaml(text);

  expect(value.ok && Object.keys(value.value ?? {}).length).toBe(15_000);
}, 10_000);

test('a file with two documents, with aliases without end or with a reserved key is refused', () => {
  expect(faults('a: 1\n---\nb: 2\n')[0]?.message).toMatch(/^Expected one document/);
  expect(faults(`a: &a [x, x]\n${'b: &b [*a, *a]\n'.repeat(1)}c: [${'*b, '.repeat(100)}]`)).not.toEqual([]);
  expect(faults('__proto__: {x: 1}')[0]?.message).toContain('__proto__');
});

test('an empty file is nothing', () => {
  expect(parseYaml('')).toEqual({ ok: true, value: null });
});

function faults(text: string) {
  const parsed = parseYaml(text);
  return parsed.ok ? [] : parsed.error;
}
