import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = ['lib/run/SPEC.md', 'lib/relay-protocol/PROTOCOL.md', 'relay/SECURITY.md'];
const TEST_FOLDERS = ['app', 'components', 'e2e', 'lib', 'relay', 'scripts'];

/** A rule stands in a list as `- **R7** One sentence.` */
const RULE = /^- \*\*([A-Z]\d+)\*\* /gm;
/** A test that holds rules begins its name with them: `[R7] a late answer changes nothing`, or `[R7][R8] …`. */
const TEST_NAME = /['"`]((?:\[[A-Z]\d+\])+) /g;

function idsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found = '']) => found.match(/[A-Z]\d+/g) ?? []);
}

const rules = PAGES.flatMap((page) => idsOf(readFileSync(join(ROOT, page), 'utf8'), RULE));
const letters = new Set(rules.map((rule) => rule.charAt(0)));

/** The rules of AIP stand in tables, one to a row, and the names of their tests begin with them: `[AIP-49] …`. */
const aipRules = [...readFileSync(join(ROOT, 'lib/aip/SPEC.md'), 'utf8').matchAll(/^\| (AIP-G?\d+) +\|/gm)].map(
  ([, id = '']) => id,
);
const AIP_TEST_NAME = /(['"`])((?:\[AIP-G?\d+\])+) /g;

function testFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|spec|contract)\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(ROOT, folder, name));
}

const sources = TEST_FOLDERS.flatMap(testFiles).map((file) => readFileSync(file, 'utf8'));
const tested = new Set(sources.flatMap((source) => idsOf(source, TEST_NAME)));
const aipTested = new Set(
  sources.flatMap((source) => [...source.matchAll(AIP_TEST_NAME)].flatMap(([name]) => name.match(/AIP-G?\d+/g) ?? [])),
);

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

test('the rules of AIP are all there, once each and in order', () => {
  const numbers = Array.from({ length: 118 }, (_, index) => `AIP-${index + 1}`);
  const goals = Array.from({ length: 6 }, (_, index) => `AIP-G${index + 1}`);
  expect(aipRules).toEqual([...numbers, ...goals]);
});

test('every rule of AIP has a test that begins with its id', () => {
  expect(aipRules.filter((rule) => !aipTested.has(rule))).toEqual([]);
});

test('no test names a rule of AIP that the page does not have', () => {
  expect([...aipTested].filter((rule) => !aipRules.includes(rule))).toEqual([]);
});
