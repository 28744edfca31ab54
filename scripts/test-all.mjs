import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild, ensureDependencies } from './ensure.mjs';
import { complain, PlainError, say } from './plain-error.mjs';
import { commandFile, ROOT } from './root.mjs';
import { checkStages, routeTypesStage, runStage } from './stages.mjs';
import { sumOf, tallyOfPlaywright, tallyOfVitest } from './test-report.mjs';

/** @typedef {import('./test-report.mjs').Tally} Tally */

const FAILED = { passed: 0, failed: 1, skipped: 0 };
const PASSED = { passed: 1, failed: 0, skipped: 0 };
const REPORTS = join(ROOT, 'test-results');

/** @param {import('./stages.mjs').Stage} stage @returns {Promise<Tally>} */
async function check(stage) {
  return (await runStage(stage)) ? PASSED : FAILED;
}

/** @returns {Promise<Tally>} */
async function unitTests() {
  const report = join(REPORTS, 'vitest.json');
  const args = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const hasPassed = await runStage({ name: 'unit and wire tests', file: commandFile('vitest'), args, show: true });
  return tallyOfVitest(report, hasPassed);
}

/** @returns {Promise<Tally>} */
async function endToEndTests() {
  await ensureBuild();
  const { findOrInstallChromium } = await import('./find-chromium.mjs');
  const chromium = await findOrInstallChromium();
  const report = join(REPORTS, 'playwright.json');
  // Playwright forces colours on its workers, and Node complains of both wishes where tests read what a program says.
  const { NO_COLOR: _, ...environment } = process.env;
  const hasPassed = await runStage({
    name: 'end-to-end tests',
    file: commandFile('@playwright/test', 'playwright'),
    args: ['test', '--config', 'e2e/playwright.config.ts'],
    env: { ...environment, CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    show: true,
  });
  return tallyOfPlaywright(report, hasPassed);
}

/** A stage that cannot even start is one failure; the stages after it still run. @param {() => Promise<Tally>} stage @returns {Promise<Tally>} */
async function counted(stage) {
  try {
    return await stage();
  } catch (error) {
    complain(error instanceof PlainError ? error.message : String(error instanceof Error ? error.stack : error));
    return FAILED;
  }
}

/** @returns {Promise<number>} the exit code */
export async function testAll() {
  const tally = await counted(async () => {
    await ensureDependencies();
    rmSync(REPORTS, { recursive: true, force: true });
    mkdirSync(REPORTS, { recursive: true });
    const tallies = [];
    for (const stage of [routeTypesStage(), ...checkStages()]) tallies.push(await check(stage));
    tallies.push(await counted(unitTests));
    tallies.push(await counted(endToEndTests));
    return sumOf(tallies);
  });
  if (tally.skipped > 0) say(`${tally.skipped} skipped, each with its reason above`);
  say(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
}
