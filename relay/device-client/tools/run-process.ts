import { type ChildProcess, spawn } from 'node:child_process';
import { errorCode } from '@/lib/std/error-code';
import { createPacedLines } from './paced-lines';

export type ProcessOrder = {
  /** The program's own path: nothing is looked up. */
  readonly file: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Per stream; what is beyond it is counted and dropped. */
  readonly outputBytesMax: number;
  readonly signal: AbortSignal;
  /** Each line of both streams, as soon as it is there. */
  readonly onOutput?: (line: string) => void;
};

export type ProcessOutput = { readonly text: string; readonly droppedBytes: number };

export type ProcessEnd = {
  readonly how: 'exited' | 'timed-out' | 'cancelled';
  /** Absent when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly endSignal: string | undefined;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
};

/** How long a group may take to end by itself after it was asked to. */
const GRACE_MS = 1_000;
/** How long the last output may take to arrive after the end. */
const DRAIN_MS = 1_000;

/** The groups that run now, so that the end of this program can be theirs, too. */
export type ProcessGroups = {
  run(order: ProcessOrder): Promise<ProcessEnd>;
  /** Ends them all at once; safe in an exit handler. */
  killAll(): void;
};

/**
 * Runs programs without a shell, each in a process group of its own, which never outlives the call. A process that begins
 * a session of its own (`setsid`) leaves the group and is out of reach.
 */
export function createProcessGroups(): ProcessGroups {
  const running = new Set<ChildProcess>();

  async function run(order: ProcessOrder): Promise<ProcessEnd> {
    if (order.signal.aborted) return { ...NOTHING, how: 'cancelled' };
    const child = spawn(order.file, order.args, {
      argv0: order.name,
      cwd: order.folder,
      env: order.environment,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
    });
    if (child.pid === undefined) return await notStarted(child);
    running.add(child);
    const stdout = collect(child.stdout, order);
    const stderr = collect(child.stderr, order);
    let how: ProcessEnd['how'] = 'exited';
    let killTimer: NodeJS.Timeout | undefined;
    const stop = (reason: 'timed-out' | 'cancelled') => {
      if (how !== 'exited' || child.exitCode !== null || child.signalCode !== null) return;
      how = reason;
      signalGroup(child, 'SIGTERM');
      killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const timer = setTimeout(() => stop('timed-out'), order.timeoutMs);
    const cancel = () => stop('cancelled');
    order.signal.addEventListener('abort', cancel, { once: true });
    try {
      const { exitCode, endSignal } = await ended(child);
      return { how, exitCode, endSignal, stdout: stdout(), stderr: stderr() };
    } finally {
      clearTimeout(timer);
      clearTimeout(killTimer);
      order.signal.removeEventListener('abort', cancel);
      running.delete(child);
    }
  }

  return {
    run,
    killAll() {
      for (const child of running) signalGroup(child, 'SIGKILL');
      running.clear();
    },
  };
}

const NO_OUTPUT: ProcessOutput = { text: '', droppedBytes: 0 };
const NOTHING = { exitCode: undefined, endSignal: undefined, stdout: NO_OUTPUT, stderr: NO_OUTPUT };

/** Its streams are no use, and not even there when no more files can be opened. */
function notStarted(child: ChildProcess): Promise<never> {
  return new Promise((_, reject) => child.once('error', reject));
}

/** Waits for the leader, then takes what is left of its group away: it could hold the pipes open for ever. */
function ended(child: ChildProcess): Promise<{ exitCode: number | undefined; endSignal: string | undefined }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, endSignal) => {
      signalGroup(child, 'SIGKILL');
      const drained = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        resolve({ exitCode: exitCode ?? undefined, endSignal: endSignal ?? undefined });
      });
    });
  });
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    if (child.exitCode !== null) return;
    // Windows has no groups that can be signalled; this ends the tree. When it fails, the leader at least is ended.
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () =>
      child.kill(),
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (cause) {
    // ESRCH: the group has ended by itself, which is what was wanted. EPERM: all that is left of it are zombies (macOS).
    if (!['ESRCH', 'EPERM'].includes(errorCode(cause))) throw cause;
  }
}

function collect(stream: NodeJS.ReadableStream, { outputBytesMax, onOutput }: ProcessOrder): () => ProcessOutput {
  const chunks: Buffer[] = [];
  let kept = 0;
  let droppedBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = outputBytesMax - kept;
    const part = chunk.byteLength > room ? chunk.subarray(0, room) : chunk;
    if (part.byteLength > 0) chunks.push(part);
    kept += part.byteLength;
    droppedBytes += chunk.byteLength - part.byteLength;
  });
  if (onOutput) tellLines(stream, onOutput);
  return () => ({
    // `stream` holds back a character that the cut has split.
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks), { stream: droppedBytes > 0 }),
    droppedBytes,
  });
}

function tellLines(stream: NodeJS.ReadableStream, onOutput: (line: string) => void): void {
  const lines = createPacedLines(onOutput);
  stream.on('data', (chunk: Buffer) => lines.write(chunk));
  stream.once('close', () => lines.end());
}
