import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from './api-client';
import { type ChildProgram, isAlive, startProgram, waitFor } from './child-program';

/** What `npm start` starts, as its start script names it. */
export type ProgramName = 'the relay' | 'the page server' | 'the local device server' | 'the local device';

export type Stack = {
  readonly origin: string;
  /** Good once; `signIn` of `page.ts` uses it and keeps the session. */
  readonly signInUrl: string;
  readonly token: string;
  readonly dataDir: string;
  readonly api: ApiClient;
  readonly screen: { readonly stdout: string; readonly stderr: string };
  pidOf(name: ProgramName): number;
  /** kill -9, then waits until its supervisor has it running again. */
  killRelay(): Promise<void>;
  /** The start alone, without warning, as a crash of the machine's session would. */
  killStart(): Promise<void>;
  /** Process ids of the product that still live. */
  leftovers(): readonly number[];
  /** Stops as Ctrl-C does and removes the data. @returns the exit code */
  stop(): Promise<number | null>;
};

export type StackOptions = {
  /** `off` unless a test is about the built-in device: it saves a second. */
  readonly localDevice?: 'on' | 'off';
  readonly env?: Readonly<Record<string, string>>;
  /** Data of an earlier stack; it is not removed then. */
  readonly dataDir?: string;
};

/** Starts the built product as a person does, on a free port and with data of its own. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'orrery-e2e-'));
  const program = startProgram('scripts/start.mjs', [], {
    ORRERY_PORT: '0',
    ORRERY_DATA_DIR: dataDir,
    ORRERY_LOCAL_DEVICE: options.localDevice ?? 'off',
    ...options.env,
  });
  // A first start may have to build.
  const ready = await program.message('ready', 300_000);
  const { origin, signInUrl, tokenFile } = readyOf(ready);
  const token = options.env?.ORRERY_TOKEN ?? readFileSync(tokenFile, 'utf8').trim();

  const startedPids = (name?: ProgramName) =>
    program.messages
      .filter((message) => message.type === 'started' && (name === undefined || message.name === name))
      .map((message) => Number(message.pid));
  const pidOf = (name: ProgramName) => startedPids(name).at(-1) ?? 0;
  const api = createApiClient(origin, token);

  return {
    origin,
    signInUrl,
    token,
    dataDir,
    api,
    screen: program.screen,
    pidOf,
    async killRelay() {
      const pid = pidOf('the relay');
      process.kill(pid, 'SIGKILL');
      await waitFor(() => pidOf('the relay') !== pid, 'the relay to be started again');
      await waitFor(() => isReady(origin), 'the relay to be ready again');
    },
    killStart: () => program.kill(),
    leftovers: () => startedPids().filter(isAlive),
    async stop() {
      const code = await program.stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
      return code;
    },
  };
}

function readyOf(message: Readonly<Record<string, unknown>>) {
  const { origin, signInUrl, tokenFile } = message;
  if (typeof origin !== 'string' || typeof signInUrl !== 'string') throw new Error('the start names no origin');
  return { origin, signInUrl, tokenFile: String(tokenFile) };
}

async function isReady(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
  return answer?.ok === true;
}

export type DeviceServer = {
  readonly port: number;
  /** With its token, as an operator types it. */
  readonly url: string;
  /** The address of a proxy in front of it. */
  urlVia(port: number): string;
  stop(): Promise<void>;
};

export async function startDeviceServer(): Promise<DeviceServer> {
  const key = randomBytes(16).toString('hex');
  const program = startProgram('dist/device-server.mjs', ['--port', '0', '--host', '127.0.0.1', '--api-key', key]);
  const { port } = await program.message('ready');
  const urlVia = (atPort: number) => `ws://127.0.0.1:${atPort}/ws?token=${key}`;
  return {
    port: Number(port),
    url: urlVia(Number(port)),
    urlVia,
    stop: async () => {
      await program.stop();
    },
  };
}

export type Device = {
  readonly id: string;
  readonly program: ChildProgram;
  /** Its files: what its tasks read and write. */
  readonly root: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts a device client; it keeps trying to reach its server by itself. */
export function startDevice(options: { id: string; serverUrl: string; root?: string }): Device {
  const root = options.root ?? mkdtempSync(join(tmpdir(), `orrery-${options.id}-`));
  mkdirSync(root, { recursive: true });
  const args = ['--server-url', options.serverUrl, '--id', options.id, '--root', root];
  const program = startProgram('dist/device-client.mjs', args);
  return {
    id: options.id,
    program,
    root,
    async stop() {
      await program.stop();
      if (options.root === undefined) rmSync(root, { recursive: true, force: true });
    },
    kill: () => program.kill(),
  };
}
