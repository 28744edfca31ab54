import { type DeviceManifest, type McpToolInfo, manifestOf } from '@/lib/aip/messages';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

/** Who says so: the people who run the device, its own list of what it can do, or its report of how it is. */
export type ProfileSource = 'operator' | 'manifest' | 'telemetry';

export type Origin = { readonly source: ProfileSource; readonly atMs: number };
export type Known<Value> = Origin & { readonly value: Value };
/** A word of a list that all sources add to. Its own origin is the weightiest, `origins` are all of them. */
export type United = Known<string> & { readonly origins: readonly Origin[] };

/** What the people who run a device say of it; it wins over what the device says of itself. */
export type OperatorSettings = {
  readonly os?: string;
  readonly capabilities?: readonly string[];
  readonly tags?: readonly string[];
  /** In place of members of the device's own `system_info`. */
  readonly systemInfo?: JsonObject;
  /** Anything else; its `tags` count as tags. */
  readonly metadata?: JsonObject;
};

export type ProfileParts = {
  readonly operator?: { readonly value: OperatorSettings; readonly atMs: number } | undefined;
  readonly manifest?: { readonly value: Partial<DeviceManifest>; readonly atMs: number } | undefined;
  /** The device's `system_info`. `fresh`: it said so then; else its server answered from memory. */
  readonly telemetry?: { readonly value: JsonObject; readonly atMs: number; readonly fresh: boolean } | undefined;
};

const TEXTS = ['platform', 'os_version', 'hostname', 'ip_address', 'platform_type', 'schema_version'] as const;
const AMOUNTS = ['cpu_count', 'memory_total_gb'] as const;
export type SystemInfoName = (typeof TEXTS)[number] | (typeof AMOUNTS)[number];

/**
 * What is known of a device, each value with its source and time. For single values the operator wins over the manifest,
 * and that over telemetry; capabilities and tags are united. What nobody knows is absent: a device that could not read
 * something says `"unknown"` or 0, and that is no value.
 */
export type AgentProfile = {
  readonly deviceId: string;
  readonly os?: Known<string>;
  /** Those of the operator and the manifest, and the `supported_features` of telemetry. */
  readonly capabilities: readonly United[];
  readonly tags: readonly United[];
  readonly tools?: Known<readonly McpToolInfo[]>;
  readonly systemInfo: { readonly [Name in SystemInfoName]?: Known<string | number> };
  /** What the device measures: load, free memory, disk, GPUs, under the names that it gives them. */
  readonly customMetadata: { readonly [name: string]: Known<JsonValue> };
  /** The operator's own words, besides tags. */
  readonly metadata: { readonly [name: string]: Known<JsonValue> };
  /** When the device's report came; `fresh` when the device itself was asked for it. */
  readonly reported?: { readonly atMs: number; readonly fresh: boolean };
};

/** Takes any shape of any part: what is not as it should be counts as absent. */
export function toAgentProfile(deviceId: string, parts: ProfileParts): AgentProfile {
  const operator = objectOf(parts.operator?.value);
  const manifest = parts.manifest?.value ?? {};
  const telemetry = objectOf(parts.telemetry?.value);
  const from = originsOf(parts);
  const settings = objectOf(operator.systemInfo);
  const metadata = objectOf(operator.metadata);
  const os = firstKnown<string>([
    [from.operator, textOf(operator.os) ?? textOf(settings.platform)],
    [from.telemetry, textOf(telemetry.platform)],
  ]);
  const tools = manifest.tools && { value: manifest.tools, ...from.manifest };
  const { telemetry: reported } = parts;
  return {
    deviceId,
    ...(os && { os }),
    capabilities: unite([
      [from.operator, operator.capabilities],
      [from.manifest, manifest.capabilities],
      [from.telemetry, telemetry.supported_features],
    ]),
    tags: unite([
      [from.operator, operator.tags],
      [from.operator, metadata.tags],
      [from.telemetry, telemetry.tags],
    ]),
    ...(tools && { tools }),
    systemInfo: systemInfoOf(from, { settings, manifest, telemetry }),
    customMetadata: membersOf(from.telemetry, objectOf(telemetry.custom_metadata)),
    metadata: membersOf(from.operator, { ...metadata, tags: null }),
    ...(reported && { reported: { atMs: reported.atMs, fresh: reported.fresh } }),
  };
}

/** The parts of a profile in a server's answer about a device, or in what it passes on of it. */
export function partsOfDeviceInfo(
  info: JsonObject,
  { atMs, fresh }: { readonly atMs: number; readonly fresh: boolean },
): Pick<ProfileParts, 'manifest' | 'telemetry'> {
  const { capabilities, tools, ...telemetry } = info;
  const manifest = manifestOf({ ...(capabilities && { capabilities }), ...(tools && { tools }) });
  return {
    ...(Object.keys(manifest).length > 0 && { manifest: { value: manifest, atMs } }),
    telemetry: { value: telemetry, atMs, fresh },
  };
}

/** The parts of a profile in the metadata of a device's REGISTER or DEVICE_INFO_RESPONSE, for whoever gets those. */
export function partsOfRegistration(metadata: JsonObject, atMs: number): Pick<ProfileParts, 'manifest' | 'telemetry'> {
  const manifest = manifestOf(metadata);
  const { system_info: info } = metadata;
  return {
    ...(Object.keys(manifest).length > 0 && { manifest: { value: manifest, atMs } }),
    ...(isJsonObject(info) && { telemetry: { value: info, atMs, fresh: true } }),
  };
}

type Origins = { readonly [Source in ProfileSource]: Origin };

/** A part that is missing has no value either, so its time is never seen. */
function originsOf({ operator, manifest, telemetry }: ProfileParts): Origins {
  return {
    operator: { source: 'operator', atMs: operator?.atMs ?? 0 },
    manifest: { source: 'manifest', atMs: manifest?.atMs ?? 0 },
    telemetry: { source: 'telemetry', atMs: telemetry?.atMs ?? 0 },
  };
}

type Said = {
  readonly settings: Loose;
  readonly manifest: Partial<DeviceManifest>;
  readonly telemetry: Loose;
};

function systemInfoOf(from: Origins, { settings, manifest, telemetry }: Said): AgentProfile['systemInfo'] {
  const known: { [Name in SystemInfoName]?: Known<string | number> } = {};
  for (const name of [...TEXTS, ...AMOUNTS]) {
    const read = isAmountName(name) ? amountOf : textOf;
    const found = firstKnown<string | number>([
      [from.operator, read(settings[name])],
      [from.manifest, name === 'os_version' ? textOf(manifest.osVersion) : undefined],
      [from.telemetry, read(telemetry[name])],
    ]);
    if (found) known[name] = found;
  }
  return known;
}

function firstKnown<Value>(said: readonly (readonly [Origin, Value | undefined])[]): Known<Value> | undefined {
  for (const [origin, value] of said) if (value !== undefined) return { value, ...origin };
  return undefined;
}

function unite(lists: readonly (readonly [Origin, unknown])[]): readonly United[] {
  const united = new Map<string, United>();
  for (const [origin, list] of lists) {
    for (const word of new Set(wordsOf(list))) {
      const known = united.get(word);
      if (!known) united.set(word, { value: word, ...origin, origins: [origin] });
      else if (known.origins.every(({ source }) => source !== origin.source)) {
        united.set(word, { ...known, origins: [...known.origins, origin] });
      }
    }
  }
  return [...united.values()];
}

function membersOf(origin: Origin, members: Loose): { readonly [name: string]: Known<JsonValue> } {
  const known = Object.entries(members).flatMap(([name, value]) =>
    isValue(value) ? [[name, { value, ...origin }] as const] : [],
  );
  return Object.fromEntries(known);
}

/** Members that may be anything: they come from files and peers. */
type Loose = { readonly [name: string]: unknown };

function objectOf(value: unknown): Loose {
  return isJsonObject(value) ? value : {};
}

/** Members of parsed JSON are JSON; what a program hands in beside that is left out. */
function isValue(value: unknown): value is JsonValue {
  if (value === undefined || value === null || value === '' || value === 'unknown') return false;
  return ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

function isAmountName(name: SystemInfoName): name is (typeof AMOUNTS)[number] {
  return AMOUNTS.some((amount) => amount === name);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value !== 'unknown' ? value : undefined;
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function wordsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((word) => textOf(word) !== undefined) : [];
}
