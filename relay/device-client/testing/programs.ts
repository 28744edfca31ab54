import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { createConstellationConnection } from '@/lib/aip/endpoints/constellation-connection';
import type { ConstellationConnection, LinkSignal, TaskToSend } from '@/lib/aip/endpoints/constellation-types';
import type { Extension } from '@/lib/aip/endpoints/extensions';
import type { Transport } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { createNodeTransport } from '@/relay/net/node-socket';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Ten times what a busy machine needs. */
const DEADLINE_MS = 30_000;

type ProgramName = 'device-server' | 'device-client';

/** The programs as they ship: one file each, packages beside them. Started from source each would take a second. */
export type Programs = {
  start(name: ProgramName, args: readonly string[], variables?: Readonly<Record<string, string>>): Program;
  /** One of the texts that were built along. */
  startText(name: string, args: readonly string[], place?: { readonly folder: string }): Program;
  remove(): Promise<void>;
};

/** @param texts - TypeScript by name, built as if it stood in `relay` */
export async function buildPrograms(texts: { readonly [name: string]: string } = {}): Promise<Programs> {
  // Inside of the project, so that packages are found.
  const folder = await mkdtemp(path.join(ROOT, 'node_modules', '.device-side-'));
  const names: readonly ProgramName[] = ['device-server', 'device-client'];
  const common = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({
    ...common,
    entryPoints: names.map((name) => ({ in: path.join(ROOT, 'relay', name, 'main.ts'), out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  });
  const resolveDir = path.join(ROOT, 'relay');
  for (const [name, contents] of Object.entries(texts)) {
    const stdin = { contents, loader: 'ts', resolveDir, sourcefile: `${name}.ts` } as const;
    await build({ ...common, stdin, outfile: path.join(folder, `text-${name}.mjs`) });
  }
  await stop(); // its service would outlive the tests
  return {
    start: (name, args, variables) => startProgram(path.join(folder, `${name}.mjs`), args, { variables }),
    startText: (name, args, place) => startProgram(path.join(folder, `text-${name}.mjs`), args, place),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** One program of the device side, as a process of its own. */
export type Program = {
  readonly process: ChildProcess;
  /** Everything that it has written to both streams. */
  output(): string;
  /** Waits for a text in what it writes from now on, or wrote before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
};

function startProgram(
  file: string,
  args: readonly string[],
  place: { readonly variables?: Readonly<Record<string, string>> | undefined; readonly folder?: string } = {},
): Program {
  // biome-ignore lint/style/noProcessEnv: a program inherits the environment of whoever starts it
  const env = { ...process.env, ...place.variables };
  const options = { cwd: place.folder, env } as const;
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], ...options });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const ended: Program['ended'] = new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return {
    process: child,
    output: () => output,
    says: (pattern) => until(`it says ${pattern}`, () => pattern.exec(output) ?? undefined),
    ended,
  };
}

/** Asks until there is an answer. */
export async function until<Value>(
  what: string,
  ask: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadlineMs) throw new Error(`Expected that ${what} within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export type TaskEnded = Extract<LinkSignal, { kind: 'task-ended' }>;

/** A constellation that gives tasks to one device. */
export type TestLink = {
  readonly endpoint: ConstellationConnection;
  /** Every line of output that was told so far. */
  readonly lines: readonly string[];
  /** What the device said of itself unasked. */
  readonly reports: readonly JsonObject[];
  /** Sends a task; `ended` is its end. */
  send(
    request: string,
    limits?: Pick<TaskToSend, 'timeoutSeconds'>,
  ): Promise<{ readonly sessionId: string; readonly ended: Promise<TaskEnded> }>;
  run(request: string): Promise<TaskEnded>;
  /** Cuts the connection as a power failure does. */
  cut(): void;
};

/** @param extensions - those that it announces */
export async function openLink(
  url: string,
  targetId: string,
  extensions: readonly Extension[] = ['device_info'],
): Promise<TestLink> {
  const random = createNodeRandom();
  const lines: string[] = [];
  const reports: JsonObject[] = [];
  let transport: Transport | undefined;
  const waiting = new Map<string, (ended: TaskEnded) => void>();
  const endpoint = createConstellationConnection({
    createTransport() {
      transport = createNodeTransport({ url });
      return transport;
    },
    clock: createNodeClock(),
    random,
    logger: silentLogger,
    clientId: `test-${random.hex(4)}@${targetId}`,
    targetId,
    taskName: 'wire-test',
    extensions,
    onSignal(signal) {
      if (signal.kind === 'log') lines.push(...signal.messages);
      if (signal.kind === 'info-pushed') reports.push(signal.info);
      if (signal.kind === 'task-ended') waiting.get(signal.sessionId)?.(signal);
    },
  });
  const opened = await endpoint.open();
  if (!opened.ok) throw new Error(opened.error.message);
  async function send(request: string, limits: Pick<TaskToSend, 'timeoutSeconds'> = {}) {
    const sessionId = random.uuid();
    const ended = new Promise<TaskEnded>((resolve) => waiting.set(sessionId, resolve));
    const sent = await endpoint.sendTask({ sessionId, taskName: 'wire-test', request, ...limits });
    if (!sent.ok) throw new Error(sent.error.message);
    return { sessionId, ended };
  }
  return {
    endpoint,
    lines,
    reports,
    send,
    run: async (request) => (await send(request)).ended,
    cut: () => transport?.terminate(),
  };
}
