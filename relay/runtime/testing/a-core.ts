import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConstellationDocument } from '@/lib/constellation/constellation';
import type { Device } from '@/lib/fleet/device';
import type { Run, TaskRun } from '@/lib/run/run';
import { createJsonLogger } from '@/relay/net/json-logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { createRelayCore, type RelayCore, type RelayCoreOptions } from '@/relay/runtime/create-relay-core';
import type { CommandInput, Verdict } from '@/relay/runtime/runtime-port';
import { ADA, aDraft, deviceId, newCommandId, RUN_1, taskId } from './a-runtime';

/** The whole relay below its API, with real sockets and a journal on disk, at a quicker pace. */
export type ACore = {
  readonly core: RelayCore;
  readonly dataDir: string;
  readonly logs: string[];
  readonly fatal: unknown[];
  send(command: CommandInput['command']): Promise<Verdict>;
  addDevice(id: string, serverUrl: string, extra?: { maxRetries?: number; autoConnect?: boolean }): Promise<Verdict>;
  createRun(document: ConstellationDocument, launch?: 'draft' | 'at-once'): Promise<Verdict>;
  device(id: string): Device | undefined;
  run(): Run | undefined;
  task(id: string): TaskRun | undefined;
};

const PACE = { presenceMs: 100, infoMs: 2_000, registerMs: 2_000, closeMs: 1_000 };

export function aDataDir(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-core-'));
  return { path: join(folder, 'data'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function aCore(dataDir: string, options: Partial<RelayCoreOptions> = {}): ACore {
  const clock = createNodeClock();
  const logs: string[] = [];
  const fatal: unknown[] = [];
  const core = createRelayCore({
    dataDir,
    clock,
    random: createNodeRandom(),
    logger: createJsonLogger({ stream: { write: (line) => logs.push(line) }, clock, level: 'debug' }),
    deviceNetworks: ['127.0.0.0/8'],
    onFatal: (cause) => fatal.push(cause),
    ...options,
    linkTiming: { ...PACE, ...options.linkTiming },
  });
  const send = (command: CommandInput['command']) =>
    core.runtime.submit({ commandId: newCommandId(), actor: ADA, command });
  return {
    core,
    dataDir,
    logs,
    fatal,
    send,
    addDevice: (id, serverUrl, extra = {}) =>
      send({ type: 'device-add', device: { ...aDraft(id, serverUrl), ...extra } }),
    createRun: (document, launch = 'at-once') =>
      send({ type: 'run-create', runId: RUN_1, document, outcomes: new Map(), warnings: [], launch }),
    device: (id) => core.runtime.fleet().devices.get(deviceId(id)),
    run: () => core.runtime.run(RUN_1),
    task: (id) => core.runtime.run(RUN_1)?.tasks.get(taskId(id)),
  };
}

/** Waits for the world to become so; fails with what was waited for. */
export async function until(isSo: () => unknown, deadlineMs = 15_000): Promise<void> {
  const endMs = Date.now() + deadlineMs;
  while (!isSo()) {
    if (Date.now() > endMs) throw new Error(`Expected within ${deadlineMs} ms: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
