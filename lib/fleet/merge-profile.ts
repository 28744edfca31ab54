import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import type { Device, DeviceProfile } from './device';

/** The parts of a profile that device information changes. */
export type MergedProfile = {
  readonly os: string;
  readonly capabilities: readonly string[];
  readonly metadata: JsonObject;
};

/** What the reference's constellation client keeps of a device's own telling, in its order. */
const SYSTEM_INFO_KEYS = [
  'platform',
  'os_version',
  'cpu_count',
  'memory_total_gb',
  'hostname',
  'ip_address',
  'platform_type',
  'schema_version',
] as const;

/**
 * The operator's profile with what the device says of itself folded in, as the reference does it: the platform becomes
 * the os, features join the capabilities, the rest lies under `metadata.system_info`. Nothing the operator wrote is lost
 * but an os that the device knows better.
 *
 * Capabilities are sorted, since the reference gives them as a set.
 *
 * @see microsoft/UFO, galaxy/client/components/device_registry.py
 */
export function mergeProfile(
  profile: Pick<DeviceProfile, 'os' | 'capabilities' | 'metadata'>,
  info: JsonObject | null,
): MergedProfile {
  if (info === null) return { os: profile.os, capabilities: profile.capabilities, metadata: profile.metadata };
  const systemInfo = Object.fromEntries(SYSTEM_INFO_KEYS.map((key): [string, JsonValue] => [key, info[key] ?? null]));
  return {
    os: textOr(info.platform, profile.os),
    capabilities: [...new Set([...profile.capabilities, ...textsOf(info.supported_features)])].sort(),
    metadata: {
      ...profile.metadata,
      system_info: systemInfo,
      ...present('custom_metadata', info),
      ...present('tags', info),
    },
  };
}

/** Null is how a peer says that it has nothing to say. */
function present(key: 'custom_metadata' | 'tags', info: JsonObject): JsonObject {
  const value = info[key] ?? null;
  return value === null ? {} : { [key]: value };
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function textsOf(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string');
}

/** Who says it: the operator, the device's server by its own configuration, or the device. */
export const PROFILE_SOURCES = ['operator', 'service', 'telemetry'] as const;
export type ProfileSource = (typeof PROFILE_SOURCES)[number];

/** One line of the profile on the screen. */
export type ProfileFact = { readonly source: ProfileSource; readonly name: string; readonly value: JsonValue };

/** Keys that a stock server adds to a device's telling from its own configuration. */
const SERVICE_KEYS: ReadonlySet<string> = new Set(['custom_metadata', 'tags', 'additional_features']);

/** The same facts, unfolded: each with who says it, so that a contradiction is seen and not hidden. */
export function profileFacts(device: Pick<Device, 'profile' | 'info'>): ProfileFact[] {
  const { profile } = device;
  const facts: ProfileFact[] = [
    { source: 'operator', name: 'os', value: profile.os },
    { source: 'operator', name: 'capabilities', value: profile.capabilities },
  ];
  for (const [name, value] of Object.entries(profile.metadata)) facts.push({ source: 'operator', name, value });
  for (const [name, value] of Object.entries(device.info?.info ?? {})) {
    if (!SERVICE_KEYS.has(name)) facts.push({ source: 'telemetry', name, value });
    else if (name === 'custom_metadata' && isJsonObject(value)) {
      facts.push(...metadataFacts(value, device.info?.origin === 'device' ? 'telemetry' : 'service'));
    } else facts.push({ source: 'service', name, value });
  }
  return facts.sort((one, other) => PROFILE_SOURCES.indexOf(one.source) - PROFILE_SOURCES.indexOf(other.source));
}

/** A stock server merges its own settings into what it kept; an answer that comes fresh from the device is all its own. */
function metadataFacts(metadata: JsonObject, source: ProfileSource): ProfileFact[] {
  return Object.entries(metadata)
    .filter(([name]) => name !== 'tags')
    .map(([name, value]) => ({ source, name, value }));
}
