import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, ROOT, until } from './run-script';

/** A copy of the project with the real scripts and stand-ins for all programs that they start. */
export function createFakeProject() {
  const root = mkdtempSync(join(tmpdir(), 'orrery-project-'));
  const dataDir = join(root, 'data');
  const modules = join(root, 'node_modules');
  cpSync(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true });
  cpSync(join(ROOT, 'scripts/testing/fake-project/relay'), join(root, 'relay'), { recursive: true });
  cpSync(join(ROOT, 'scripts/testing/fake-project/packages'), modules, { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  for (const name of ['esbuild', '@esbuild']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {} } }));
  writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ packages: {} }));
  mkdirSync(dataDir);
  const script = join(root, 'scripts/start.mjs');
  const started: ChildProcess[] = [];

  function run(file: string, args: readonly string[], env: Record<string, string>) {
    // A test run under npm must not look like a start under npm.
    const { npm_lifecycle_event: _, ...inherited } = process.env;
    const child = spawn(file, args, {
      env: { ...inherited, ORRERY_PORT: '0', ORRERY_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    started.push(child);
    return watchStart(child);
  }

  return {
    root,
    dataDir,
    start(env: Record<string, string> = {}) {
      return run(process.execPath, [script], env);
    },
    /** As npm does it: through a shell that stays in between. */
    startUnderNpm() {
      return run('sh', ['-c', '"$0" "$1"; exit $?', process.execPath, script], { npm_lifecycle_event: 'start' });
    },
    async remove() {
      for (const child of started) child.kill('SIGKILL');
      // Children notice within moments that their parent is gone; until then they may still write.
      await until(() => started.every((child) => child.exitCode !== null || child.signalCode !== null));
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

export type FakeStart = ReturnType<typeof watchStart>;

function watchStart(child: ChildProcess) {
  const screen = { stdout: '', stderr: '' };
  const pids = new Map<string, number>();
  const everyPid = new Set<number>();
  const messages: { type: string; name?: string; pid?: number; origin?: string }[] = [];
  child.stdout?.on('data', (chunk) => {
    screen.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    screen.stderr += chunk;
  });
  child.on('message', (message: { type: string; name?: string; pid?: number; origin?: string }) => {
    messages.push(message);
    if (message.type !== 'started' || message.name === undefined || message.pid === undefined) return;
    pids.set(message.name, message.pid);
    everyPid.add(message.pid);
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    screen,
    pids,
    ended,
    async untilReady() {
      await until(() => messages.some((message) => message.type === 'ready') || child.exitCode !== null);
      return messages.find((message) => message.type === 'ready')?.origin ?? '';
    },
    leftovers: () => [...everyPid].filter(isAlive),
  };
}
