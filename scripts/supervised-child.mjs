import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './root.mjs';

const STOP_MS_MAX = 10_000;
const BACKOFF_MS_MIN = 250;
const BACKOFF_MS_MAX = 10_000;
/** A child that lived this long was healthy: its next failure counts as the first again. */
const HEALTHY_MS = 10_000;
const LAST_WORDS_MAX = 20;
/** What a dead child has said still arrives for a moment; a stray grandchild may hold its streams open for ever. */
const LAST_WORDS_MS_MAX = 1_000;

const WRAPPER = join(ROOT, 'scripts', 'child.mjs');

/**
 * @typedef {object} ChildProgram
 * @property {string} name - as the screen calls it
 * @property {string} module - the JavaScript file to run
 * @property {readonly string[]} [nodeArgs]
 * @property {number} [stopMsMax] - ten seconds unless given
 * @property {() => readonly string[]} argv - asked at each start
 * @property {NodeJS.ProcessEnv} env
 * @property {{write(chunk: string | Buffer): void}} log
 * @property {(message: Record<string, unknown>) => void} [onMessage]
 * @property {(pid: number) => void} [onStart]
 * @property {(fact: Record<string, unknown>) => void} [onErrorFact] - a JSON line of the level `error` that it logged
 * @property {(end: ChildEnd) => void} onEnd - after each end that nobody asked for; the owner decides about `restart()`
 *
 * @typedef {object} ChildEnd
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {number} quickFailures - ends in a row, this one included, after less than ten seconds of life
 * @property {string} lastWords - what it said on stderr, without log lines
 */

/** @param {ChildEnd} end @returns {string} such as `exit code 1` */
export function endReason({ code, signal }) {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/**
 * One program that is kept running: started, watched, started again with growing pauses when its owner says so, stopped.
 *
 * @param {ChildProgram} program
 */
export function createSupervisedChild(program) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {NodeJS.Timeout | undefined} */
  let pause;
  let isStopping = false;
  let quickFailures = 0;

  function start() {
    if (isStopping) return;
    const startedAtMs = performance.now();
    /** @type {string[]} */
    const lastWords = [];
    const started = spawn(process.execPath, [...(program.nodeArgs ?? []), WRAPPER], {
      cwd: ROOT,
      env: { ...program.env, ORRERY_CHILD: JSON.stringify({ module: program.module, argv: program.argv() }) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // In a group of its own a child does not get the Ctrl-C of the terminal: its parent stops all in order.
      detached: process.platform !== 'win32',
    });
    child = started;
    program.log.write(`--- ${new Date().toISOString()} ${program.name} started as process ${started.pid}\n`);
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk) => program.log.write(chunk));
      onEachLine(stream, (line) => {
        const fact = factOf(line);
        if (fact?.level === 'error') program.onErrorFact?.(fact);
        if (stream !== started.stderr || fact !== undefined || line.trim() === '') return;
        lastWords.push(line);
        lastWords.splice(0, lastWords.length - LAST_WORDS_MAX);
      });
    }
    started.on('message', (message) => program.onMessage?.(/** @type {Record<string, unknown>} */ (message)));
    if (started.pid !== undefined) program.onStart?.(started.pid);
    started.once('error', (error) => program.log.write(`--- could not be started: ${error.message}\n`));
    onceEnded(started, (code, signal) => {
      child = undefined;
      program.log.write(`--- ${new Date().toISOString()} ended: ${code ?? signal}\n`);
      if (isStopping) return;
      quickFailures = performance.now() - startedAtMs < HEALTHY_MS ? quickFailures + 1 : 1;
      program.onEnd({ code, signal, quickFailures, lastWords: lastWords.join('\n') });
    });
  }

  return {
    name: program.name,
    start,
    /** @returns {number | undefined} */
    pid: () => child?.pid,
    /** Starts again after a pause that grows with each quick failure. */
    restart() {
      if (isStopping) return;
      const ceilingMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (quickFailures - 1));
      pause = setTimeout(start, ceilingMs * (0.5 + Math.random() / 2));
    },
    /** Asks the child to stop, and ends it with its whole group when it has not done so after ten seconds. */
    async stop() {
      isStopping = true;
      clearTimeout(pause);
      const stopped = child;
      if (stopped === undefined) return;
      const ended = new Promise((done) => onceEnded(stopped, done));
      // Windows knows no polite signal: there the closed channel is the request.
      if (process.platform === 'win32') stopped.disconnect();
      else stopped.kill('SIGTERM');
      const force = setTimeout(() => killGroup(stopped), program.stopMsMax ?? STOP_MS_MAX);
      await ended;
      clearTimeout(force);
    },
    kill() {
      isStopping = true;
      clearTimeout(pause);
      if (child !== undefined) killGroup(child);
    },
  };
}

/** @param {import('node:stream').Readable | null} stream @param {(line: string) => void} listener */
function onEachLine(stream, listener) {
  if (stream !== null) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', listener);
}

/** @param {string} line @returns {Record<string, unknown> | undefined} what a log line says; nothing for plain words */
function factOf(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    // Words that begin with a brace, such as a part of a stack.
    return undefined;
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {(code: number | null, signal: NodeJS.Signals | null) => void} listener - called once, with all output read if possible
 */
function onceEnded(child, listener) {
  /** @type {NodeJS.Timeout | undefined} */
  let patience;
  let isDone = false;
  const finish = (/** @type {number | null} */ code, /** @type {NodeJS.Signals | null} */ signal) => {
    clearTimeout(patience);
    if (!isDone) listener(code, signal);
    isDone = true;
  };
  child.once('close', finish);
  child.once('exit', (code, signal) => {
    patience = setTimeout(finish, LAST_WORDS_MS_MAX, code, signal);
  });
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
