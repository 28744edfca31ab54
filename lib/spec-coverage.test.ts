import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = ['lib/run/SPEC.md', 'lib/relay-protocol/PROTOCOL.md'].filter((page) => existsSync(join(ROOT, page)));
const TEST_FOLDERS = ['app', 'components', 'e2e', 'lib', 'relay', 'scripts'].filter((folder) =>
  existsSync(join(ROOT, folder)),
);

/** A rule stands in a list as `- **R7** One sentence.` */
const RULE = /^- \*\*([A-Z]\d+)\*\* /gm;
/** A test that holds rules begins its name with them: `[R7] a late answer changes nothing`, or `[R7][R8] …`. */
const TEST_NAME = /['"`]((?:\[[A-Z]\d+\])+) /g;

function idsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found = '']) => found.match(/[A-Z]\d+/g) ?? []);
}

const rules = PAGES.flatMap((page) => idsOf(readFileSync(join(ROOT, page), 'utf8'), RULE));
const letters = new Set(rules.map((rule) => rule.charAt(0)));

function testFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|spec|contract)\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(ROOT, folder, name));
}

const tested = new Set(TEST_FOLDERS.flatMap(testFiles).flatMap((file) => idsOf(readFileSync(file, 'utf8'), TEST_NAME)));

test('rules are found on every page, and none has the id of another', () => {
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([]);
});

test('every rule of a page has a test that begins with its id', () => {
  expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
});

test('no test names a rule that no page has', () => {
  const known = new Set(rules);
  expect([...tested].filter((rule) => letters.has(rule.charAt(0)) && !known.has(rule))).toEqual([]);
});
