import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type ScriptRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a script of the project to its end, as npm would. */
export async function runScript(
  script: string,
  options: { env?: Record<string, string>; root?: string; nodeArgs?: string[]; args?: string[] } = {},
): Promise<ScriptRun> {
  const file = join(options.root ?? ROOT, 'scripts', script);
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), file, ...(options.args ?? [])], {
    env: { ...process.env, npm_execpath: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits for something that comes by itself; the test's own deadline ends a wait in vain. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 20));
}
