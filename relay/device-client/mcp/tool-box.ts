import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Command, CommandResult, McpToolInfo } from '@/lib/aip/messages';
import { createToolCatalogue, describeTools, type ToolCatalogue, unknownTool } from '@/lib/device/tool-catalogue';
import { toCommandResult } from '@/lib/device/tool-result';
import type { JsonObject } from '@/lib/std/json';
import type { ToolServerLink } from './tool-server';

export type CallContext = {
  readonly signal: AbortSignal;
  /** One line of what the command prints while it runs. */
  readonly onOutput?: (line: string) => void;
  /** How long the command may take. */
  readonly timeoutMs?: number;
};

export type ToolBox = {
  /** Starts every server; those that fail are left out until they are there. Resolves when each was tried once. */
  start(): Promise<void>;
  /** The tools of all servers that are up. */
  tools(): readonly McpToolInfo[];
  serversUp(): readonly string[];
  /** Told when a server comes, goes or has other tools. Returns an undo. */
  onToolsChanged(listener: () => void): () => void;
  /** Runs one command and always answers: what is wrong with it is a failure. */
  execute(command: Command, context: CallContext): Promise<CommandResult>;
  close(): Promise<void>;
};

/** What a device that only describes itself calls itself. */
const LIST_TOOLS = 'list_tools';

/** The server waits no longer for any command. */
const CALL_TIMEOUT_MS = 6_000_000;

/** @param servers - the built-in one first: its tools keep their names, and wait for no other server */
export function createToolBox(servers: readonly ToolServerLink[]): ToolBox {
  async function start(): Promise<void> {
    await Promise.all(servers.map((server) => server.start()));
  }

  async function readCatalogue(toolName: string): Promise<ToolCatalogue> {
    const [builtin] = servers;
    await builtin?.start();
    const isBuiltin = builtin?.describe().tools.some((tool) => tool.name === toolName) ?? false;
    if (isBuiltin) return presentCatalogue();
    // A full name says whose tool it is: no slower server is waited for.
    const named = servers.find(({ name }) => toolName.startsWith(`${name}.`));
    await named?.start();
    const catalogue = presentCatalogue();
    if (named && catalogue.find(toolName)) return catalogue;
    await start();
    return presentCatalogue();
  }

  function presentCatalogue(): ToolCatalogue {
    return createToolCatalogue(servers.map((server) => server.describe()));
  }

  function serversUp(): readonly string[] {
    return servers.filter(({ isUp }) => isUp).map(({ name }) => name);
  }

  async function execute(command: Command, context: CallContext): Promise<CommandResult> {
    try {
      return await answer(command, context);
    } catch (cause) {
      return failure(`${command.tool_name} gave no result: ${reasonOf(cause)}`);
    }
  }

  async function answer(command: Command, context: CallContext): Promise<CommandResult> {
    const catalogue = await readCatalogue(command.tool_name);
    if (command.tool_name === LIST_TOOLS) {
      return { status: 'success', result: toolsAskedFor(catalogue, command), namespace: LIST_TOOLS };
    }
    return callTool(catalogue, command, context);
  }

  /** As the agents of stock servers ask: all tools, those of a type, those of a server. */
  function toolsAskedFor(catalogue: ToolCatalogue, { parameters }: Command) {
    const { tool_type: type = null, namespace: server = null } = parameters ?? {};
    return describeTools(catalogue).filter(
      (tool) => (type === null || tool.tool_type === type) && (server === null || tool.namespace === server),
    );
  }

  async function callTool(catalogue: ToolCatalogue, command: Command, context: CallContext): Promise<CommandResult> {
    const { signal, onOutput, timeoutMs = CALL_TIMEOUT_MS } = context;
    const entry = catalogue.find(command.tool_name);
    const server = servers.find((each) => each.name === entry?.server);
    if (!entry || !server) return failure(unknownTool(command.tool_name, catalogue));
    const parameters = command.parameters ?? {};
    const problem = checkParameters(entry.tool.inputSchema, parameters);
    if (problem !== undefined) return failure(`${entry.exposedName}: ${problem}`, server.name);
    try {
      const answer = await server.call({ tool: entry.tool.name, parameters, signal, timeoutMs, onOutput });
      return toCommandResult(answer, server.name);
    } catch (cause) {
      return failure(`${entry.exposedName} ${endingOf(cause, { signal, timeoutMs })}`, server.name);
    }
  }

  return {
    start,
    serversUp,
    tools() {
      const names = new Set(serversUp());
      return describeTools(presentCatalogue()).filter(({ namespace }) => names.has(namespace));
    },
    onToolsChanged(listener) {
      const undos = servers.map((server) => server.onChanged(listener));
      return () => {
        for (const undo of undos) undo();
      };
    },
    execute,
    async close() {
      await Promise.allSettled(servers.map((server) => server.close()));
    },
  };
}

function endingOf(cause: unknown, { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number }): string {
  if (signal.aborted) return 'was stopped because its task was cancelled';
  if (cause instanceof McpError && cause.code === ErrorCode.RequestTimeout) {
    return `timed out after ${Math.round(timeoutMs / 100) / 10} s`;
  }
  return `gave no result: ${reasonOf(cause)}`;
}

function failure(error: string, namespace?: string): CommandResult {
  return { status: 'failure', error, ...(namespace !== undefined && { namespace }) };
}

/** Checks arguments against the tool's own schema. A schema that cannot be read is left to the tool's server. */
function checkParameters(inputSchema: JsonObject, parameters: JsonObject): string | undefined {
  const schema = readSchema(inputSchema);
  const parsed = schema?.safeParse(parameters);
  if (!parsed || parsed.success) return undefined;
  return parsed.error.issues.map(describeIssue).join('; ');
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  const isTextWanted = issue.code === 'invalid_type' && issue.expected === 'string';
  const hint = isTextWanted && place !== '' ? ` (write ${place}="…" to give text)` : '';
  return `${place === '' ? '' : `${place}: `}${issue.message}${hint}`;
}

function readSchema(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(toSchema(schema));
  } catch {
    // JSON Schema has corners that zod does not read; the server of the tool checks its arguments itself as well.
    return undefined;
  }
}

/** A JSON object is a JSON schema by its meaning only; `fromJSONSchema` throws on one that makes no sense. */
function toSchema(schema: JsonObject): Parameters<typeof z.fromJSONSchema>[0] {
  return schema as Parameters<typeof z.fromJSONSchema>[0];
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
