import type { McpToolInfo } from '@/lib/aip/messages';
import { encodeUtf8 } from '@/lib/std/utf8';

export type FittedTools = {
  readonly tools: readonly McpToolInfo[];
  /** What had to be left out, of all tools. */
  readonly leftOut: 'nothing' | 'schemas' | 'schemas and descriptions' | 'schemas, descriptions and some of the tools';
};

/** A list that is at most so long as JSON: what can be asked for later goes first, the names of tools last. */
export function fitTools(tools: readonly McpToolInfo[], bytesMax: number): FittedTools {
  if (bytesOf(tools) <= bytesMax) return { tools, leftOut: 'nothing' };
  const withoutSchemas = tools.map(dropSchemas);
  if (bytesOf(withoutSchemas) <= bytesMax) return { tools: withoutSchemas, leftOut: 'schemas' };
  const names = withoutSchemas.map(dropDescriptions);
  if (bytesOf(names) <= bytesMax) return { tools: names, leftOut: 'schemas and descriptions' };
  return { tools: firstOf(names, bytesMax), leftOut: 'schemas, descriptions and some of the tools' };
}

function dropSchemas({ input_schema, output_schema, meta, ...rest }: McpToolInfo): McpToolInfo {
  return rest;
}

function dropDescriptions({ tool_key, tool_name, namespace, tool_type }: McpToolInfo): McpToolInfo {
  return { tool_key, tool_name, namespace, tool_type };
}

function firstOf(tools: readonly McpToolInfo[], bytesMax: number): readonly McpToolInfo[] {
  let bytes = 2;
  const end = tools.findIndex((tool) => {
    bytes += bytesOf(tool) + 1;
    return bytes > bytesMax;
  });
  return end < 0 ? tools : tools.slice(0, end);
}

function bytesOf(value: unknown): number {
  return encodeUtf8(JSON.stringify(value)).byteLength;
}
