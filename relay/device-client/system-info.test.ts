import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createDiskProbe } from './disk-probe';
import { createGpuProbe } from './gpu-probe';
import { readSystemInfo } from './system-info';
import { createProcessGroups } from './tools/run-process';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'system-info-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A driver's tool on the PATH, as a script. */
async function tool(name: string, script: string): Promise<void> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

async function read(ofFolder = folder): Promise<JsonObject> {
  const clock = createNodeClock();
  const processes = createProcessGroups();
  const disk = createDiskProbe({ folder: ofFolder, clock });
  const environment: NodeJS.ProcessEnv = { NODE_ENV: 'test', PATH: `${folder}${path.delimiter}/usr/bin:/bin` };
  const gpus = createGpuProbe({ processes, environment, clock, logger: silentLogger });
  const info = await readSystemInfo({ deviceId: 'one', clock, disk, gpus });
  processes.killAll();
  return info;
}

async function measured(ofFolder = folder): Promise<JsonObject> {
  const { custom_metadata } = await read(ofFolder);
  if (!isJsonObject(custom_metadata ?? null)) throw new Error('Expected custom_metadata to be an object');
  return Object.fromEntries(Object.entries(custom_metadata ?? {}));
}

const isUnix = process.platform !== 'win32';

test('the members of the wire are there, with what changes beside them', async () => {
  const { custom_metadata, ...info } = await read();
  expect(info).toEqual({
    device_id: 'one',
    platform: expect.stringMatching(/^[a-z0-9]+$/),
    os_version: expect.any(String),
    cpu_count: expect.any(Number),
    memory_total_gb: expect.any(Number),
    hostname: expect.any(String),
    ip_address: expect.any(String),
    supported_features: ['cli', 'file_system'],
    platform_type: 'computer',
    schema_version: '1.0',
  });
  expect(custom_metadata).toMatchObject({
    memory_free_gb: expect.any(Number),
    disk_total_gb: expect.any(Number),
    disk_free_gb: expect.any(Number),
    uptime_seconds: expect.any(Number),
    ...(isUnix && { load_average: [expect.any(Number), expect.any(Number), expect.any(Number)] }),
  });
});

test('what is not known is absent', async () => {
  const known = await measured(path.join(folder, 'missing'));
  expect(Object.keys(known).filter((name) => name.startsWith('disk') || name === 'gpu')).toEqual([]);
  expect(Object.values(known)).not.toContain('unknown');
});

test.runIf(isUnix)('GPUs are told as the tools of their drivers tell them', async () => {
  await tool('nvidia-smi', 'case "$*" in *name*noheader*) echo "8192, 100, 7, Test GPU";; esac');
  await tool('rocm-smi', `echo '{"card0": {"Card series": "Other GPU", "GPU use (%)": "3"}}'`);
  expect((await measured()).gpu).toEqual([
    { name: 'Test GPU', memory_total_mb: 8192, memory_used_mb: 100, utilisation_percent: 7 },
    { name: 'Other GPU', utilisation_percent: 3 },
  ]);
});

test.runIf(isUnix).each([
  ['fails', 'echo "8192, 100, 7, Test GPU"; exit 9'],
  ['has no GPU', 'echo "No devices were found"'],
  ['is no program', '/does/not/exist'],
  ['hangs and ignores that it is asked to end', 'trap "" TERM; sleep 600'],
])('a tool that %s leaves only its own member out', async (_, script) => {
  await tool('nvidia-smi', script);
  const known = await measured();
  expect(known).not.toHaveProperty('gpu');
  expect(known).toHaveProperty('disk_free_gb');
});
