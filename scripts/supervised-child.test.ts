import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createSupervisedChild, endReason } from './supervised-child.mjs';
import { isAlive, until } from './testing/run-script';

type Program = Parameters<typeof createSupervisedChild>[0];
type End = Parameters<Program['onEnd']>[0];

const fixture = (name: string) => fileURLToPath(new URL(`testing/${name}`, import.meta.url));

let kept: ReturnType<typeof createSupervisedChild> | undefined;

afterEach(() => kept?.kill());

function aChild(behaviour: string, overrides: Partial<Program> = {}) {
  const messages: Record<string, unknown>[] = [];
  const ends: End[] = [];
  const log: string[] = [];
  const child = createSupervisedChild({
    name: 'fixture',
    module: fixture('child-fixture.mjs'),
    argv: () => [behaviour],
    env: process.env,
    log: { write: (chunk) => log.push(String(chunk)) },
    onMessage: (message) => messages.push(message),
    onEnd: (end) => ends.push(end),
    ...overrides,
  });
  kept = child;
  return { child, messages, ends, log };
}

test('a child gets its arguments, and they are not in its command line or environment', async () => {
  const { child, messages } = aChild('polite');
  child.start();
  await until(() => messages.length === 1);

  expect(messages[0]).toEqual({ type: 'ready', argv: ['polite'], hasSecretInEnvironment: false });
});

test('a stopped child is gone, and its end is not reported as a failure', async () => {
  const { child, messages, ends } = aChild('polite');
  child.start();
  await until(() => messages.length === 1);
  const pid = child.pid() ?? 0;

  await child.stop();

  expect(isAlive(pid)).toBe(false);
  expect(ends).toEqual([]);
});

test('a child that does not listen is killed', async () => {
  const { child, messages } = aChild('deaf', { stopMsMax: 100 });
  child.start();
  await until(() => messages.length === 1);
  const pid = child.pid() ?? 0;

  await child.stop();

  expect(isAlive(pid)).toBe(false);
});

test('a child that fails is reported with its last words, and its log lines as facts', async () => {
  const facts: Record<string, unknown>[] = [];
  const { child, ends } = aChild('fail', { onErrorFact: (fact) => facts.push(fact) });
  child.start();
  await until(() => ends.length === 1);

  expect(ends[0]).toEqual({ code: 3, signal: null, quickFailures: 1, lastWords: 'Port 1 is in use.' });
  expect(endReason(ends[0] as End)).toBe('exit code 3');
  expect(facts).toEqual([{ level: 'error', what: 'port-busy' }]);
});

test('failures in a row are counted', async () => {
  const ends: End[] = [];
  const { child } = aChild('fail', {
    onEnd: (end) => {
      ends.push(end);
      if (ends.length < 3) child.restart();
    },
  });
  child.start();
  await until(() => ends.length === 3);

  expect(ends.map((end) => end.quickFailures)).toEqual([1, 2, 3]);
});

test('a child that somebody kills can be started again', async () => {
  const { child, messages, ends } = aChild('polite');
  child.start();
  await until(() => messages.length === 1);
  process.kill(child.pid() ?? 0, 'SIGKILL');
  await until(() => ends.length === 1);

  child.restart();
  await until(() => messages.length === 2);

  expect(endReason(ends[0] as End)).toBe('signal SIGKILL');
});

test('after stop nothing is started any more', async () => {
  const { child, messages } = aChild('polite');
  await child.stop();

  child.start();
  child.restart();

  expect(child.pid()).toBeUndefined();
  expect(messages).toEqual([]);
});

test('a parent that is killed without warning leaves no child behind', async () => {
  const parent = spawn(process.execPath, [fixture('parent-fixture.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));

  parent.kill('SIGKILL');

  await until(() => !isAlive(pid));
});
