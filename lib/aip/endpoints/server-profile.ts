import { type DeviceManifest, manifestOf } from '@/lib/aip/messages';
import { isJsonObject, type JsonObject } from '@/lib/std/json';
import { jsonBytesOf } from './json-bytes';

/** What a device has said of itself, as far as it has. */
export type DeviceProfile = {
  readonly systemInfo?: JsonObject;
  readonly manifest?: Partial<DeviceManifest>;
};

/** What a server keeps of one device at most; larger parts count as absent. */
const PART_BYTES_MAX = 1_048_576;

/** @param metadata - of a REGISTER or a DEVICE_INFO_RESPONSE; parts of another shape count as absent */
export function profileOf(metadata: JsonObject | undefined): DeviceProfile {
  const info = metadata?.system_info;
  const manifest = manifestOf(metadata);
  const hasManifest = Object.keys(manifest).length > 0 && fits(manifest);
  return {
    ...(info !== undefined && isJsonObject(info) && fits(info) && { systemInfo: info }),
    ...(hasManifest && { manifest }),
  };
}

/** The newer word on each part counts; a part that it leaves out stays as it was. */
export function mergeProfiles(older: DeviceProfile, newer: DeviceProfile): DeviceProfile {
  return { ...older, ...newer };
}

/** As it is handed to a constellation that agreed to `device_info`: the stock members, and what the device can do. */
export function extendedInfoOf({ systemInfo, manifest = {} }: DeviceProfile): JsonObject | undefined {
  if (!systemInfo) return undefined;
  const { osVersion, capabilities, tools } = manifest;
  return {
    ...(osVersion !== undefined && { os_version: osVersion }),
    ...systemInfo,
    ...(capabilities && { capabilities }),
    ...(tools && { tools }),
  };
}

function fits(part: object): boolean {
  return jsonBytesOf(part, PART_BYTES_MAX) < PART_BYTES_MAX;
}
