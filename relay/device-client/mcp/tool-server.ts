import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LoggingMessageNotificationSchema, ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ToolDescription, ToolServer } from '@/lib/device/tool-catalogue';
import type { ToolAnswer } from '@/lib/device/tool-result';
import { type JsonObject, jsonObjectSchema } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import { createCallOutputs } from './call-outputs';

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
  /** One line of what the tool says while it works. */
  readonly onOutput?: ((line: string) => void) | undefined;
};

/** Member of a call's `_meta`, in milliseconds: a tool that knows its limit can say more about its end than its caller. */
export const TIME_LIMIT_MEMBER = 'orrery/timeout_ms';

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

/** A tool that ends at its limit is given so long to say it; any other is given up then. */
const OWN_END_MS = 150;
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
  const outputs = createCallOutputs();

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
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      if (params.message !== undefined) outputs.add(params.progressToken, params.message);
    });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { data, level } }) => {
      const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
      if (!outputs.addToOnly(text)) logger.debug('tool-server-said', { server: name, level, text });
    });
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
    async call({ tool, parameters, signal, timeoutMs, onOutput }) {
      const client = await connected();
      const output = outputs.open(onOutput);
      const _meta = { progressToken: output.token, [TIME_LIMIT_MEMBER]: timeoutMs };
      try {
        const timeout = timeoutMs + OWN_END_MS;
        const order = { name: tool, arguments: { ...parameters }, _meta };
        return answerSchema.parse(await client.callTool(order, undefined, { signal, timeout }));
      } finally {
        output.close();
      }
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
