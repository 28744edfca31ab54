import { createMcpToolCall, type McpToolInfo, type ToolType } from '@/lib/aip/messages';
import type { JsonObject } from '@/lib/std/json';

/** A tool as its server describes it. */
export type ToolDescription = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | undefined;
  readonly annotations?: JsonObject | undefined;
  readonly meta?: JsonObject | undefined;
};

export type ToolServer = {
  /** Letters, digits, `_` and `-`: no dot, so that `server.tool` reads one way only. */
  readonly name: string;
  readonly tools: readonly ToolDescription[];
};

export type CatalogueEntry = {
  /** What a request writes. */
  readonly exposedName: string;
  readonly server: string;
  readonly tool: ToolDescription;
};

export type ToolCatalogue = {
  readonly entries: readonly CatalogueEntry[];
  /** Understands the exposed name, and `server.tool` for every tool. */
  find(name: string): CatalogueEntry | undefined;
};

/**
 * Says which tools a device has and what they are called.
 *
 * A tool is exposed as its own name when no other server has one of that name, else as `server.tool`. The tools of the
 * first server keep their own names whatever comes later, so adding a server never breaks a request that worked.
 */
export function createToolCatalogue(servers: readonly ToolServer[]): ToolCatalogue {
  const owners = new Map<string, string[]>();
  for (const server of servers) {
    for (const tool of server.tools) owners.set(tool.name, [...(owners.get(tool.name) ?? []), server.name]);
  }
  const entries = servers.flatMap((server, index) =>
    server.tools.map((tool): CatalogueEntry => {
      const isOwnName = index === 0 || owners.get(tool.name)?.length === 1;
      return { exposedName: isOwnName ? tool.name : `${server.name}.${tool.name}`, server: server.name, tool };
    }),
  );
  const byName = new Map<string, CatalogueEntry>();
  for (const entry of entries) addFirst(byName, entry.exposedName, entry);
  for (const entry of entries) addFirst(byName, `${entry.server}.${entry.tool.name}`, entry);
  return { entries, find: (name) => byName.get(name) };
}

function addFirst(byName: Map<string, CatalogueEntry>, name: string, entry: CatalogueEntry): void {
  if (!byName.has(name)) byName.set(name, entry);
}

/** The catalogue as the wire describes it: the answer to `list_tools`. */
export function describeTools(catalogue: ToolCatalogue): readonly McpToolInfo[] {
  return catalogue.entries.map(({ exposedName, server, tool }) =>
    createMcpToolCall({
      ...tool,
      toolName: exposedName,
      namespace: server,
      toolType: toolTypeOf(tool),
      server,
    }).toToolInfo(),
  );
}

function toolTypeOf(tool: ToolDescription): ToolType {
  return tool.annotations?.readOnlyHint === true ? 'data_collection' : 'action';
}

/** Of a name that somebody made up. */
const NAME_LENGTH_MAX = 200;

/** The sentence for a tool that does not exist. */
export function unknownTool(name: string, catalogue: ToolCatalogue): string {
  const names = catalogue.entries.map((entry) => entry.exposedName);
  const shown = names.slice(0, 20).join(', ');
  const more = names.length > 20 ? ` and ${names.length - 20} more (list_tools tells all)` : '';
  const asked = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
  return `Unknown tool "${asked}"; this device has ${shown}${more}`;
}
