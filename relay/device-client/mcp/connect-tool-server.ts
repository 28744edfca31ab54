import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Logger } from '@/lib/std/logger';
import type { ToolServerConfig } from './mcp-config';

/**
 * The longest answer of a server that is a child. Many servers say a result twice, as text and as an object, so the largest
 * result is about half of it.
 */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A server of another program: started as a child, or reached over HTTP. It inherits no secrets of ours. */
export async function connectToolServer(
  config: ToolServerConfig,
  logger: Logger,
  answerBytesMax = ANSWER_BYTES_MAX,
): Promise<Transport> {
  if (config.kind === 'http') {
    return toTransport(
      new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: { ...config.headers } } }),
    );
  }
  const transport = new StdioClientTransport({
    command: config.command,
    args: [...config.args],
    env: { ...getDefaultEnvironment(), ...config.env },
    stderr: 'pipe',
    maxBufferSize: answerBytesMax,
    ...(config.folder !== undefined && { cwd: config.folder }),
  });
  transport.stderr?.on('data', (chunk: Buffer) =>
    logger.debug('tool-server-said', { server: config.name, text: chunk.toString('utf8').trimEnd() }),
  );
  return transport;
}

/** A server inside this process. */
export async function connectInProcess(server: McpServer): Promise<Transport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  return near;
}

/**
 * Says whether a call failed because nobody is there any more. Over HTTP no connection ends that could tell it: a server
 * that was restarted knows the session no longer (`StreamableHTTPError`), one that is gone is not reached (`TypeError`,
 * which is how `fetch` says it).
 */
export function isLostConnection(cause: unknown): boolean {
  return cause instanceof StreamableHTTPError || cause instanceof TypeError;
}

/** The library declares `sessionId` once with and once without `undefined`; the same class implements both. */
function toTransport(transport: StreamableHTTPClientTransport): Transport {
  return transport as Transport;
}
