import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '@/lib/std/logger';
import type { DeviceTool, ToolOutput } from './device-tool';
import { ToolError } from './tool-error';

/** The built-in tools as a server of the Model Context Protocol, ready to be connected. */
export function createBuiltinServer(tools: readonly DeviceTool[], logger: Logger): McpServer {
  const server = new McpServer({ name: 'orrery-device', version: '1' });
  for (const tool of tools) {
    const { name, title, description, input, isReadOnly } = tool;
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: !isReadOnly };
    server.registerTool(name, { title, description, inputSchema: input, annotations }, async (args, { signal }) => {
      try {
        return toAnswer(await tool.call(args, { signal }));
      } catch (cause) {
        return toError(name, { cause, logger });
      }
    });
  }
  return server;
}

function toAnswer(output: ToolOutput): CallToolResult {
  if ('text' in output) return { content: [{ type: 'text', text: output.text }] };
  // Clients that know no structured content read the same as text.
  return {
    content: [{ type: 'text', text: JSON.stringify(output.structured) }],
    structuredContent: { ...output.structured },
  };
}

function toError(name: string, { cause, logger }: { cause: unknown; logger: Logger }): CallToolResult {
  if (cause instanceof ToolError) return { isError: true, content: [{ type: 'text', text: cause.message }] };
  // Anything else may name this machine's paths: the log keeps it, the sender learns that it is there.
  logger.error('tool-broke', {
    tool: name,
    error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  });
  const text = `${name} broke unexpectedly; the log of the device client has the details`;
  return { isError: true, content: [{ type: 'text', text }] };
}
