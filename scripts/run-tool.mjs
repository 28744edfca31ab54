import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { ROOT } from './root.mjs';

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a tool to its end. A signal that would end this script ends the tool first, so that nothing is left running.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{env?: NodeJS.ProcessEnv, shell?: boolean, show?: boolean, cwd?: string}} [options] - `show` passes the words of the
 *   tool on to the screen instead of keeping them
 * @returns {Promise<{code: number, output: string}>} code 127 when the tool could not be started
 */
export async function runTool(file, args, options = {}) {
  const child = spawn(file, args, {
    cwd: options.cwd ?? ROOT,
    env: options.env ?? process.env,
    shell: options.shell ?? false,
    stdio: options.show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  /** @type {NodeJS.Signals | undefined} */
  let stoppedBy;
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      stoppedBy = signal;
      child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => {
    output += chunk.toString('utf8');
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  try {
    const [code, signal] = await once(child, 'close');
    return { code: code ?? 128 + (constants.signals[/** @type {NodeJS.Signals} */ (signal)] ?? 0), output };
  } catch (error) {
    return { code: 127, output: String(error) };
  } finally {
    for (const { signal, listener } of listeners) process.off(signal, listener);
    if (stoppedBy !== undefined) process.exit(128 + constants.signals[stoppedBy]);
  }
}

/**
 * @param {string} output
 * @param {number} linesMax
 * @returns {string} the last lines that say something
 */
export function tailOf(output, linesMax) {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.includes('A complete log of this run'));
  return lines.slice(-linesMax).join('\n');
}
