import { say } from './plain-error.mjs';
import { commandFile } from './root.mjs';
import { runTool, tailOf } from './run-tool.mjs';

const FAILURE_LINES_MAX = 200;

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} file - a JavaScript file, run with this Node
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [show] - its words go to the screen while it runs
 */

/** @returns {readonly Stage[]} format and lint, and the three compilers */
export function checkStages() {
  const tsc = commandFile('typescript', 'tsc');
  return [
    {
      name: 'format and lint',
      file: commandFile('@biomejs/biome', 'biome'),
      args: ['check', '--error-on-warnings', '.'],
    },
    { name: 'types of the pages and the tests', file: tsc, args: ['--noEmit', '--incremental', 'false'] },
    { name: 'types of lib (no DOM, no Node)', file: tsc, args: ['--noEmit', '-p', 'lib/tsconfig.json'] },
    { name: 'types of relay (no DOM)', file: tsc, args: ['--noEmit', '-p', 'relay/tsconfig.json'] },
  ];
}

/** The types of routes, which the compiler needs on a fresh clone. @returns {Stage} */
export function routeTypesStage() {
  return {
    name: 'types of routes',
    file: commandFile('next'),
    args: ['typegen'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  };
}

/** Prints one line, and what a failing stage said. @param {Stage} stage @returns {Promise<boolean>} whether it passed */
export async function runStage(stage) {
  const startedAtMs = performance.now();
  const { code, output } = await runTool(process.execPath, [stage.file, ...stage.args], {
    show: stage.show ?? false,
    ...(stage.env === undefined ? {} : { env: stage.env }),
  });
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  if (code !== 0) say(tailOf(output, FAILURE_LINES_MAX));
  say(`${code === 0 ? 'ok    ' : 'FAILED'}  ${stage.name} (${seconds} s)`);
  return code === 0;
}
