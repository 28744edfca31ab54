import { readFileSync } from 'node:fs';

/** @typedef {{passed: number, failed: number, skipped: number}} Tally */

/** A runner that crashed, or left no report, is one failure: silence never counts as success. */
const CRASHED = { passed: 0, failed: 1, skipped: 0 };

/** @param {string} file @returns {any} */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Absent or cut off; the caller counts that as a crash.
    return undefined;
  }
}

/**
 * @param {string} file - the JSON report of vitest
 * @param {boolean} hasPassed - by its exit code
 * @returns {Tally}
 */
export function tallyOfVitest(file, hasPassed) {
  const report = readReport(file);
  if (report === undefined) return CRASHED;
  // A file that could not even be loaded has failed without holding any test.
  const brokenFiles = report.testResults.filter(
    (/** @type {any} */ result) => result.status === 'failed' && result.assertionResults.length === 0,
  ).length;
  return honest(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + brokenFiles,
      skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    },
    hasPassed,
  );
}

/**
 * @param {string} file - the JSON report of Playwright
 * @param {boolean} hasPassed - by its exit code
 * @returns {Tally}
 */
export function tallyOfPlaywright(file, hasPassed) {
  const report = readReport(file);
  if (report === undefined) return CRASHED;
  const { expected, unexpected, flaky, skipped } = report.stats;
  return honest({ passed: expected, failed: unexpected + flaky, skipped }, hasPassed);
}

/** A runner that says "failed" without a failed test has met an error outside of the tests. @param {Tally} tally @param {boolean} hasPassed */
function honest(tally, hasPassed) {
  return hasPassed || tally.failed > 0 ? tally : { ...tally, failed: 1 };
}

/** @param {readonly Tally[]} tallies @returns {Tally} */
export function sumOf(tallies) {
  let [passed, failed, skipped] = [0, 0, 0];
  for (const tally of tallies) {
    passed += tally.passed;
    failed += tally.failed;
    skipped += tally.skipped;
  }
  return { passed, failed, skipped };
}
