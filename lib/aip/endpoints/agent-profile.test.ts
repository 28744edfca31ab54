import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/std/json';
import { type AgentProfile, partsOfDeviceInfo, partsOfRegistration, toAgentProfile } from './agent-profile';

const OPERATOR = { source: 'operator', atMs: 1 };
const MANIFEST = { source: 'manifest', atMs: 2 };
const TELEMETRY = { source: 'telemetry', atMs: 3 };

const INFO: JsonObject = {
  device_id: 'dev-1',
  platform: 'linux',
  os_version: '6.1',
  cpu_count: 8,
  memory_total_gb: 31.2,
  hostname: 'box',
  ip_address: '10.0.0.7',
  supported_features: ['cli', 'gui'],
  platform_type: 'computer',
  schema_version: '1.0',
  custom_metadata: { load_average: [1, 2, 3], memory_free_gb: 4, disk_free_gb: 0, gpu: [{ name: 'A' }], rack: null },
  tags: ['lab'],
};
const telemetry = (value: JsonObject) => ({ value, atMs: 3, fresh: true });

describe('one value of several sources', () => {
  test('is the operator’s, else the manifest’s, else the device’s own', () => {
    const operator = { value: { os: 'debian', systemInfo: { hostname: 'build-7' } }, atMs: 1 };
    const manifest = { value: { osVersion: '12' }, atMs: 2 };
    const profile = toAgentProfile('dev-1', { operator, manifest, telemetry: telemetry(INFO) });

    expect(profile.os).toEqual({ value: 'debian', ...OPERATOR });
    expect(profile.systemInfo).toEqual({
      platform: { value: 'linux', ...TELEMETRY },
      os_version: { value: '12', ...MANIFEST },
      cpu_count: { value: 8, ...TELEMETRY },
      memory_total_gb: { value: 31.2, ...TELEMETRY },
      hostname: { value: 'build-7', ...OPERATOR },
      ip_address: { value: '10.0.0.7', ...TELEMETRY },
      platform_type: { value: 'computer', ...TELEMETRY },
      schema_version: { value: '1.0', ...TELEMETRY },
    });
  });

  test('without an operator’s word the os is the platform that the device reports', () => {
    expect(toAgentProfile('dev-1', { telemetry: telemetry(INFO) }).os).toEqual({ value: 'linux', ...TELEMETRY });
  });

  test('that says that it is unknown is none', () => {
    const parts = {
      operator: { value: { os: 'unknown' }, atMs: 1 },
      telemetry: telemetry({
        platform: 'unknown',
        cpu_count: 0,
        memory_total_gb: 0,
        hostname: '',
        custom_metadata: {},
      }),
    };

    expect(toAgentProfile('dev-1', parts)).toEqual({
      deviceId: 'dev-1',
      capabilities: [],
      tags: [],
      systemInfo: {},
      customMetadata: {},
      metadata: {},
      reported: { atMs: 3, fresh: true },
    });
  });
});

describe('lists', () => {
  test('of capabilities and tags are united, each word with everybody who says it', () => {
    const parts = {
      operator: { value: { capabilities: ['cli', 'cli'], tags: ['prod'], metadata: { tags: ['lab'] } }, atMs: 1 },
      manifest: { value: { capabilities: ['shell', 'gui'] }, atMs: 2 },
      telemetry: telemetry(INFO),
    };
    const { capabilities, tags } = toAgentProfile('dev-1', parts);

    expect(capabilities).toEqual([
      { value: 'cli', ...OPERATOR, origins: [OPERATOR, TELEMETRY] },
      { value: 'shell', ...MANIFEST, origins: [MANIFEST] },
      { value: 'gui', ...MANIFEST, origins: [MANIFEST, TELEMETRY] },
    ]);
    expect(tags.map(({ value, origins }) => [value, origins.length])).toEqual([
      ['prod', 1],
      ['lab', 2],
    ]);
  });
});

test('what the device measures keeps its names, zero included, and has no word for what it does not know', () => {
  const { customMetadata } = toAgentProfile('dev-1', { telemetry: telemetry(INFO) });

  expect(customMetadata).toEqual({
    load_average: { value: [1, 2, 3], ...TELEMETRY },
    memory_free_gb: { value: 4, ...TELEMETRY },
    disk_free_gb: { value: 0, ...TELEMETRY },
    gpu: { value: [{ name: 'A' }], ...TELEMETRY },
  });
});

test('the operator’s other words stand by themselves', () => {
  const operator = { value: { metadata: { location: 'Oslo', tags: ['x'], load_average: 'never mind' } }, atMs: 1 };
  const profile = toAgentProfile('dev-1', { operator, telemetry: telemetry(INFO) });

  expect(profile.metadata).toEqual({
    location: { value: 'Oslo', ...OPERATOR },
    load_average: { value: 'never mind', ...OPERATOR },
  });
  expect(profile.customMetadata.load_average).toMatchObject({ source: 'telemetry' });
});

test('a server’s answer is parted into what the device can do and how it is', () => {
  const tool = { tool_key: 'action::run', tool_name: 'run', namespace: 'shell', tool_type: 'action' };
  const { manifest, telemetry: report } = partsOfDeviceInfo(
    { ...INFO, capabilities: ['shell', 7], tools: [tool, { tool_key: 'odd' }] },
    { atMs: 5, fresh: false },
  );

  expect(manifest).toMatchObject({ atMs: 5, value: { capabilities: ['shell'], tools: [tool] } });
  expect(report).toEqual({ atMs: 5, fresh: false, value: INFO });
  expect(partsOfDeviceInfo(INFO, { atMs: 5, fresh: true })).not.toHaveProperty('manifest');
});

test('a registration is parted in the same way', () => {
  const parts = partsOfRegistration({ capabilities: ['shell'], os_version: '12', tools: [], system_info: INFO }, 6);
  const profile = toAgentProfile('dev-1', parts);

  expect(profile.systemInfo.os_version).toEqual({ value: '12', source: 'manifest', atMs: 6 });
  expect(profile.tools).toEqual({ value: [], source: 'manifest', atMs: 6 });
  expect(partsOfRegistration({ system_info: 'x' }, 6)).toEqual({});
});

/** A part as a file or a peer may bring it, whatever its type promises. */
function asPart<Part>(value: unknown): Part {
  return value as Part;
}

test('no shape of any part makes it throw, and every value has a source', () => {
  const names = ['os', 'capabilities', 'tags', 'metadata', 'systemInfo', 'platform', 'cpu_count', '__proto__'];
  const more = ['custom_metadata', 'supported_features', 'system_info', 'tools', 'os_version'];
  const odd = fc.dictionary(fc.constantFrom(...names, ...more), fc.jsonValue({ maxDepth: 3 }), {
    noNullPrototype: false,
  });
  const part = fc.oneof(odd, fc.jsonValue());
  fc.assert(
    fc.property(part, odd, odd, (operator, info, metadata) => {
      const profile: AgentProfile = toAgentProfile('dev-1', {
        ...partsOfRegistration(asPart(metadata), 2),
        ...partsOfDeviceInfo(asPart(info), { atMs: 3, fresh: true }),
        operator: { value: asPart(operator), atMs: 1 },
      });
      const values = [...profile.capabilities, ...profile.tags, ...Object.values(profile.customMetadata)];
      for (const { source, atMs } of [...values, ...Object.values(profile.systemInfo)]) {
        expect(atMs).toBe({ operator: 1, manifest: atMs, telemetry: 3 }[source]);
      }
    }),
    { seed: 20_260_104, numRuns: 2_000 },
  );
});
