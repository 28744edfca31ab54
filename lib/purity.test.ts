import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const LIB = fileURLToPath(new URL('.', import.meta.url));

const IMPURE: Readonly<Record<string, RegExp>> = {
  'the clock': /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(/,
  chance: /\bMath\.random\(|\bcrypto\.(randomUUID|getRandomValues)\(/,
  'a timer': /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\(/,
};

const sources = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.(test|contract)\.tsx?$/.test(name) && !/(^|[\\/])testing[\\/]/.test(name),
);

test('there are sources to look at', () => {
  expect(sources.length).toBeGreaterThan(50);
});

test.each(Object.entries(IMPURE))('nothing in lib reads %s: it comes in as an argument', (_what, pattern) => {
  const found = sources.filter((name) => pattern.test(withoutComments(readFileSync(join(LIB, name), 'utf8'))));
  expect(found).toEqual([]);
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}
