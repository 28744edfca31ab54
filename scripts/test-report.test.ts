import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sumOf, tallyOfPlaywright, tallyOfVitest } from './test-report.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-report-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function report(value: unknown): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

const vitestReport = (values: object) =>
  report({ numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, testResults: [], ...values });

test('tests are counted as their runners counted them', () => {
  expect(tallyOfVitest(vitestReport({}), true)).toEqual({ passed: 5, failed: 0, skipped: 1 });
  expect(tallyOfPlaywright(report({ stats: { expected: 3, unexpected: 1, flaky: 0, skipped: 2 } }), false)).toEqual({
    passed: 3,
    failed: 1,
    skipped: 2,
  });
});

test('a test that passed only at the second try has failed', () => {
  const file = report({ stats: { expected: 3, unexpected: 0, flaky: 1, skipped: 0 } });

  expect(tallyOfPlaywright(file, true).failed).toBe(1);
});

test('a test file that could not be loaded is a failure', () => {
  const file = vitestReport({ testResults: [{ status: 'failed', assertionResults: [] }] });

  expect(tallyOfVitest(file, false).failed).toBe(1);
});

test('a runner that ends badly without a failed test is a failure', () => {
  expect(tallyOfVitest(vitestReport({}), false).failed).toBe(1);
});

test.each([
  ['absent', undefined],
  ['cut off', '{"stats": {'],
])('a report that is %s is a failure', (_, text) => {
  const file = text === undefined ? join(folder, 'none.json') : report(text);

  expect(tallyOfVitest(file, true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(tallyOfPlaywright(file, true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('the sum adds every kind on its own', () => {
  expect(
    sumOf([
      { passed: 1, failed: 0, skipped: 2 },
      { passed: 3, failed: 4, skipped: 0 },
    ]),
  ).toEqual({
    passed: 4,
    failed: 4,
    skipped: 2,
  });
});
