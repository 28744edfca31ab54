import os from 'node:os';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';
import type { DiskProbe } from './disk-probe';
import type { GpuProbe } from './gpu-probe';

export type SystemInfoOptions = {
  readonly deviceId: string;
  readonly clock: Clock;
  readonly disk: DiskProbe;
  readonly gpus: GpuProbe;
};

/** The words of the wire for operating systems. */
const PLATFORM_WORDS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * Reads the machine now, in the shape that AIP's device information has. What changes stands in `custom_metadata`, where
 * what cannot be read is absent. In the members beside it that is `"unknown"` or 0, as the stock device says it.
 */
export async function readSystemInfo({ deviceId, clock, disk, gpus }: SystemInfoOptions): Promise<JsonObject> {
  const [space, found] = await Promise.all([disk.read(), gpus.read()]);
  return {
    device_id: deviceId,
    platform: PLATFORM_WORDS[process.platform] ?? process.platform,
    os_version: readOsVersion(),
    cpu_count: attempt(() => os.availableParallelism()) ?? 0,
    memory_total_gb: attempt(() => toGb(os.totalmem())) ?? 0,
    hostname: attempt(() => os.hostname()) ?? 'unknown',
    ip_address: attempt(readAddress) ?? 'unknown',
    supported_features: ['cli', 'file_system'],
    platform_type: 'computer',
    schema_version: '1.0',
    custom_metadata: {
      collected_at: new Date(clock.now()).toISOString(),
      architecture: process.arch,
      ...member('cpu_model', attempt(() => os.cpus()[0]?.model.trim()) || undefined),
      ...member('load_average', attempt(readLoad)),
      ...member(
        'memory_free_gb',
        attempt(() => toGb(os.freemem())),
      ),
      ...member(
        'uptime_seconds',
        attempt(() => Math.round(os.uptime())),
      ),
      ...(space && { disk_total_gb: toGb(space.totalBytes), disk_free_gb: toGb(space.freeBytes) }),
      ...(found.length > 0 && { gpu: found }),
    },
  };
}

export function readOsVersion(): string {
  return attempt(() => `${os.type()} ${os.release()}`) ?? 'unknown';
}

/** Windows has no such number, and says 0 in its place. */
function readLoad(): readonly number[] | undefined {
  return process.platform === 'win32' ? undefined : os.loadavg().map(rounded);
}

function readAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
  const outward = addresses.filter((address) => !address.internal);
  return (outward.find((address) => address.family === 'IPv4') ?? outward[0])?.address ?? '127.0.0.1';
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    // A locked-down machine refuses some of these; whoever asks says what stands for it.
    return undefined;
  }
}

function member(name: string, value: JsonObject[string] | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function toGb(bytes: number): number {
  return rounded(bytes / 2 ** 30);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
