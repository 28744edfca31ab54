import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

const STOP_MS_MAX = 25_000;

export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/** A built program of the product, run as a child with a channel, and what it has said so far. */
export type ChildProgram = {
  readonly pid: number;
  readonly screen: { stdout: string; stderr: string };
  readonly messages: readonly Message[];
  /** Waits for a message; fails with what the program printed when it ends before, or after the deadline. */
  message(type: string, deadlineMs?: number): Promise<Message>;
  /** Asks politely. @returns the exit code */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
};

export function startProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const screen = { stdout: '', stderr: '' };
  const messages: Message[] = [];
  child.stdout?.on('data', (chunk) => {
    screen.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    screen.stderr += chunk;
  });
  child.on('message', (message: Message) => messages.push(message));

  return {
    pid: child.pid ?? 0,
    screen,
    messages,
    async message(type, deadlineMs = 60_000) {
      const found = () => messages.find((message) => message.type === type);
      await waitFor(() => found() !== undefined || hasEnded(child), `${file} to say "${type}"`, deadlineMs);
      const message = found();
      if (message === undefined)
        throw new Error(`${file} ended with ${child.exitCode}: ${screen.stderr}${screen.stdout}`);
      return message;
    },
    async stop() {
      if (!hasEnded(child)) child.kill('SIGTERM');
      await waitFor(() => hasEnded(child), `${file} to stop`, STOP_MS_MAX);
      return child.exitCode;
    },
    async kill() {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Settings of the person who runs the tests, and of npm, stay out of the tested programs. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const isOurs = (name: string) => name.startsWith('ORRERY_') || name.startsWith('npm_');
  const kept = Object.entries(process.env).filter(([name]) => !isOurs(name));
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' };
}

/** Waits for what comes by itself. @throws after the deadline, naming what did not come */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`Waited ${deadlineMs / 1_000} s in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
