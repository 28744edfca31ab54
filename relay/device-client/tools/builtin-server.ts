import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '@/lib/std/logger';
import { TIME_LIMIT_MEMBER } from '@/relay/device-client/mcp/tool-server';
import type { DeviceTool, ToolOutput } from './device-tool';
import { ToolError } from './tool-error';

/** The built-in tools as a server of the Model Context Protocol, ready to be connected. */
export function createBuiltinServer(tools: readonly DeviceTool[], logger: Logger): McpServer {
  const server = new McpServer({ name: 'orrery-device', version: '1' });
  for (const tool of tools) {
    const { name, title, description, input, isReadOnly } = tool;
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: !isReadOnly };
    server.registerTool(name, { title, description, inputSchema: input, annotations }, async (args, extra) => {
      const progress = startProgress(extra);
      try {
        const context = { signal: extra.signal, timeoutMs: timeLimitOf(extra), onOutput: progress.add };
        return toAnswer(await tool.call(args, context));
      } catch (cause) {
        return toError(name, { cause, logger });
      } finally {
        await progress.flush();
      }
    });
  }
  return server;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

function timeLimitOf({ _meta }: Extra): number | undefined {
  const limitMs = _meta?.[TIME_LIMIT_MEMBER];
  return typeof limitMs === 'number' ? limitMs : undefined;
}

/** Lines travel as messages of progress, those that come in one go in one message. */
function startProgress({ _meta, sendNotification }: Extra) {
  const progressToken = _meta?.progressToken;
  let lines: string[] = [];
  let progress = 0;
  let sent: Promise<void> = Promise.resolve();

  function send(): void {
    if (progressToken === undefined || lines.length === 0) return;
    const message = lines.join('\n');
    lines = [];
    progress += 1;
    const params = { progressToken, progress, message };
    // It fails when the caller is gone, and nobody misses the lines then.
    sent = sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  }

  return {
    add(line: string): void {
      if (progressToken === undefined) return;
      lines.push(line);
      if (lines.length === 1) queueMicrotask(send);
    },
    /** Resolves when all lines have been sent: none may come after the answer. */
    async flush(): Promise<void> {
      send();
      await sent;
    },
  };
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
