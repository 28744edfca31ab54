import { statfs } from 'node:fs/promises';
import os from 'node:os';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';

export type SystemInfoOptions = {
  readonly deviceId: string;
  /** The disk of this folder is told. */
  readonly folder: string;
  readonly clock: Clock;
};

/** The words of the wire for operating systems. */
const PLATFORM_WORDS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * Reads the machine now, in the shape that AIP's device information has. What changes stands in `custom_metadata`.
 *
 * What cannot be read is `"unknown"` or 0, as the stock device says it.
 */
export async function readSystemInfo({ deviceId, folder, clock }: SystemInfoOptions): Promise<JsonObject> {
  const [loadOne = 0, loadFive = 0, loadFifteen = 0] = os.loadavg();
  return {
    device_id: deviceId,
    platform: PLATFORM_WORDS[process.platform] ?? process.platform,
    os_version: or('unknown', () => `${os.type()} ${os.release()}`),
    cpu_count: or(0, () => os.availableParallelism()),
    memory_total_gb: or(0, () => rounded(os.totalmem() / 2 ** 30)),
    hostname: or('unknown', () => os.hostname()),
    ip_address: or('unknown', readAddress),
    supported_features: ['cli', 'file_system'],
    platform_type: 'computer',
    schema_version: '1.0',
    custom_metadata: {
      collected_at: new Date(clock.now()).toISOString(),
      architecture: process.arch,
      cpu_model: or('unknown', () => os.cpus()[0]?.model.trim() || 'unknown'),
      load_average: [rounded(loadOne), rounded(loadFive), rounded(loadFifteen)],
      memory_total_bytes: or(0, () => os.totalmem()),
      memory_free_bytes: or(0, () => os.freemem()),
      uptime_seconds: or(0, () => Math.round(os.uptime())),
      ...(await readDisk(folder)),
    },
  };
}

async function readDisk(folder: string): Promise<JsonObject> {
  try {
    const disk = await statfs(folder);
    return { disk_total_bytes: disk.blocks * disk.bsize, disk_free_bytes: disk.bavail * disk.bsize };
  } catch {
    // Some file systems do not tell; the rest of the information is worth sending.
    return { disk_total_bytes: 0, disk_free_bytes: 0 };
  }
}

function readAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
  const outward = addresses.filter((address) => !address.internal);
  return (outward.find((address) => address.family === 'IPv4') ?? outward[0])?.address ?? '127.0.0.1';
}

function or<Value>(fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    // A locked-down machine refuses some of these; the fallback says so.
    return fallback;
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
