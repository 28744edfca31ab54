import type { JsonObject } from '@/lib/std/json';
import type { McpToolInfo } from './ui-models';

/** A tool as its MCP server describes it, and what can call it there. */
export type McpToolDetails<Server> = {
  readonly toolName: string;
  /** The MCP server's name. */
  readonly namespace: string;
  /** `action` or `data_collection` for tools that a COMMAND may name; free text otherwise. */
  readonly toolType: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject | undefined;
  readonly meta?: JsonObject | undefined;
  readonly annotations?: JsonObject | undefined;
  /** A live connection or function of this process. */
  readonly server: Server;
};

/** A tool that this process can call. It never goes on the wire; what others may know of it is its {@link McpToolInfo}. */
export type McpToolCall<Server> = McpToolDetails<Server> & {
  /** Unique among the tools of a device. */
  readonly toolKey: string;
  toToolInfo(): McpToolInfo;
  /** @throws always: a live server in a message is a mistake of whoever built it */
  toJSON(): never;
};

export function createMcpToolCall<Server>(details: McpToolDetails<Server>): McpToolCall<Server> {
  const toolKey = `${details.toolType}::${details.toolName}`;
  return {
    ...details,
    toolKey,
    toToolInfo() {
      const { title, description, inputSchema, outputSchema, meta, annotations } = details;
      return {
        tool_key: toolKey,
        tool_name: details.toolName,
        ...(title !== undefined && { title }),
        namespace: details.namespace,
        tool_type: details.toolType,
        ...(description !== undefined && { description }),
        ...(inputSchema && { input_schema: inputSchema }),
        ...(outputSchema && { output_schema: outputSchema }),
        ...(meta && { meta }),
        ...(annotations && { annotations }),
      };
    },
    toJSON() {
      throw new Error(`Expected the description of the tool ${toolKey}, got its call; write toToolInfo() instead`);
    },
  };
}
