import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import { type McpToolInfo, mcpToolInfoSchema } from './ui-models';

/** What a device offers, besides what it is: members of its REGISTER and DEVICE_INFO_RESPONSE. */
export type DeviceManifest = {
  readonly capabilities: readonly string[];
  readonly osVersion: string;
  readonly tools: readonly McpToolInfo[];
};

export function manifestMembers({ capabilities, osVersion, tools }: DeviceManifest): JsonObject {
  return { capabilities, os_version: osVersion, tools };
}

/** What there is of a manifest in the metadata of a peer; what has another shape counts as absent, a tool as not there. */
export function manifestOf(metadata: JsonObject | undefined): Partial<DeviceManifest> {
  const { capabilities, os_version: osVersion, tools } = metadata ?? {};
  return {
    ...(Array.isArray(capabilities) && { capabilities: capabilities.filter(isText) }),
    ...(isText(osVersion) && { osVersion }),
    ...(Array.isArray(tools) && { tools: tools.flatMap(toolOf) }),
  };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

function toolOf(value: JsonValue): readonly McpToolInfo[] {
  const tool = isJsonObject(value) ? mcpToolInfoSchema.safeParse(value) : undefined;
  return tool?.success ? [tool.data] : [];
}
