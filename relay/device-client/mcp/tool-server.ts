import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import type { ToolDescription, ToolServer } from '@/lib/device/tool-catalogue';
import type { ToolAnswer } from '@/lib/device/tool-result';
import { type JsonObject, jsonObjectSchema } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';

export type ToolServerOptions = {
  readonly name: string;
  /** Makes a fresh connection; asked again when the last one has ended. */
  readonly connect: () => Promise<Transport>;
  readonly logger: Logger;
};

export type ToolCall = {
  readonly tool: string;
  readonly parameters: JsonObject;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

/** A server of tools and the connection to it, which comes back on demand. */
export type ToolServerLink = {
  readonly name: string;
  /** Connects and reads the tools. @throws when the server cannot be started or says nothing */
  start(): Promise<void>;
  /** Its tools as last told; none before it has started. */
  describe(): ToolServer;
  /** @throws when the server is gone, the time is over or the call was cancelled */
  call(call: ToolCall): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** A server that is fetched over a slow network on its first start needs this long. */
const START_TIMEOUT_MS = 30_000;
const PAGES_MAX = 100;

const answerSchema: z.ZodType<ToolAnswer> = z.object({
  content: z.array(jsonObjectSchema).optional(),
  structuredContent: jsonObjectSchema.optional(),
  isError: z.boolean().optional(),
});

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonObjectSchema,
  outputSchema: jsonObjectSchema.optional(),
  annotations: jsonObjectSchema.optional(),
});

export function createToolServerLink({ name, connect, logger }: ToolServerOptions): ToolServerLink {
  let tools: readonly ToolDescription[] = [];
  let current: Promise<Client> | undefined;
  let isClosed = false;

  async function open(): Promise<Client> {
    const client: Client = new Client(
      { name: 'orrery-device', version: '1' },
      {
        listChanged: {
          tools: {
            autoRefresh: false,
            onChanged: () => {
              readTools(client).then(keepTools, (cause) =>
                logger.warn('tools-not-read', { server: name, error: String(cause) }),
              );
            },
          },
        },
      },
    );
    client.onerror = (error) => logger.debug('tool-server-error', { server: name, error: error.message });
    try {
      await client.connect(await connect(), { timeout: START_TIMEOUT_MS });
      keepTools(await readTools(client));
    } catch (cause) {
      await client.close();
      throw cause;
    }
    client.onclose = () => {
      current = undefined;
      if (!isClosed) logger.warn('tool-server-ended', { server: name });
    };
    return client;
  }

  function keepTools(told: readonly ToolDescription[]): void {
    tools = told;
  }

  function connected(): Promise<Client> {
    if (isClosed) return Promise.reject(new Error(`The tool server "${name}" was closed`));
    if (!current) {
      const opening = open();
      current = opening;
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
    }
    return current;
  }

  return {
    name,
    async start() {
      await connected();
    },
    describe: () => ({ name, tools }),
    async call({ tool, parameters, signal, timeoutMs }) {
      const client = await connected();
      const answer = await client.callTool({ name: tool, arguments: { ...parameters } }, undefined, {
        signal,
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: timeoutMs,
      });
      return answerSchema.parse(answer);
    },
    async close() {
      isClosed = true;
      // A connection that never came about needs no goodbye.
      const client = await current?.catch(() => undefined);
      await client?.close();
    },
  };
}

async function readTools(client: Client): Promise<readonly ToolDescription[]> {
  const tools: ToolDescription[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: START_TIMEOUT_MS });
    tools.push(...answer.tools.map((tool) => toolSchema.parse(tool)));
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
