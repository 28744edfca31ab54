import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { say } from './plain-error.mjs';
import { ROOT } from './root.mjs';

const HOMES = ['app', 'components', 'lib', 'relay', 'scripts'];

/**
 * @typedef {object} BenchRow
 * @property {string} name
 * @property {number} value
 * @property {string} unit
 * @property {number} [baseline] - the same work done in the simplest way, same unit
 * @property {string} [baselineName]
 */

/** @param {string} folder @returns {string[]} */
function benchFiles(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.bench\.(ts|mjs)$/.test(name))
    .map((name) => join(ROOT, folder, name));
}

/** @param {BenchRow} row */
function rowText({ name, value, unit, baseline, baselineName }) {
  const ratio = baseline === undefined ? '' : `${(value / baseline).toFixed(2)} x of ${baselineName ?? 'the baseline'}`;
  return `${name.padEnd(52)} ${Math.round(value).toLocaleString('en').padStart(14)} ${unit.padEnd(12)} ${ratio}`;
}

/** @param {string} filter - part of a path @returns {Promise<number>} */
export async function runBenches(filter) {
  const { register } = await import('tsx/esm/api');
  register();
  const files = HOMES.flatMap(benchFiles).filter((file) => file.includes(filter));
  for (const file of files.sort()) {
    const { bench } = await import(pathToFileURL(file).href);
    for (const row of /** @type {BenchRow[]} */ (await bench())) say(rowText(row));
  }
  return 0;
}
