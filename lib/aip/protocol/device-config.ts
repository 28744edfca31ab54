import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

/**
 * What a device says about itself, with what its server's operator knows beside it: the whole configuration goes into
 * `custom_metadata`, `additional_features` join `supported_features`, and `tags` stand on top. Nothing else that the
 * device says is overridden.
 *
 * @see microsoft/UFO, ufo/server: the merge of a device's information with its configuration
 */
export function mergeDeviceConfig(systemInfo: JsonObject, config: JsonObject): JsonObject {
  if (Object.keys(config).length === 0) return systemInfo;
  const { custom_metadata, supported_features } = systemInfo;
  const { additional_features, tags } = config;
  const own = custom_metadata !== undefined && isJsonObject(custom_metadata) ? custom_metadata : {};
  return {
    ...systemInfo,
    custom_metadata: { ...own, ...config },
    ...(additional_features !== undefined && {
      supported_features: [...new Set([...textsOf(supported_features), ...textsOf(additional_features)])],
    }),
    ...(tags !== undefined && { tags }),
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
