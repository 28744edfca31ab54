import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  LoggingMessageNotificationSchema,
  McpError,
  ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ToolDescription, ToolServer } from '@/lib/device/tool-catalogue';
import type { ToolAnswer } from '@/lib/device/tool-result';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import { type JsonObject, jsonObjectSchema } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import { createCallOutputs } from './call-outputs';
import { isLostConnection } from './connect-tool-server';
import { readTools } from './read-tools';

export type ToolServerOptions = {
  readonly name: string;
  /** Makes a fresh connection; asked again when the last one has ended. */
  readonly connect: () => Promise<Transport>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The first wait before a server that is gone is tried again; later ones are longer. */
  readonly returnMs?: number;
  /** How often a server is asked whether it is there: one on the network does not say that it goes. */
  readonly pingMs?: number;
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

/** A server of tools and the connection to it, which comes back by itself, and at once when a call wants it. */
export type ToolServerLink = {
  readonly name: string;
  /** Whether there is a connection and its tools are known. */
  readonly isUp: boolean;
  /** Connects and reads the tools. Resolves after the first try; one that failed is logged and made again later. */
  start(): Promise<void>;
  /** Its tools as last told; none before it has started. */
  describe(): ToolServer;
  /** Told when the server comes, goes or has other tools. Returns an undo. */
  onChanged(listener: () => void): () => void;
  /** @throws when the server is gone, the time is over or the call was cancelled */
  call(call: ToolCall): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** A tool that ends at its limit is given so long to say it; any other is given up then. */
const OWN_END_MS = 150;
/** A server that is fetched over a slow network on its first start needs this long. */
const START_TIMEOUT_MS = 30_000;
const PING_MS = 30_000;
const RETURN_MS = 1_000;
const RETURN_MS_MAX = 60_000;
/** One that was up for so long is no server that ends as soon as it is started. */
const STEADY_MS = 60_000;

const answerSchema: z.ZodType<ToolAnswer> = z.object({
  content: z.array(jsonObjectSchema).optional(),
  structuredContent: jsonObjectSchema.optional(),
  isError: z.boolean().optional(),
});

export function createToolServerLink(options: ToolServerOptions): ToolServerLink {
  const { name, connect, clock, logger, returnMs = RETURN_MS, pingMs = PING_MS } = options;
  const outputs = createCallOutputs();
  const listeners = new Set<() => void>();
  let tools: readonly ToolDescription[] = [];
  let latest: Client | undefined;
  let current: Promise<Client> | undefined;
  let firstTry: Promise<void> | undefined;
  let isUp = false;
  let isClosed = false;
  let failures = 0;
  /** What went wrong first on the present connection since the last answer; all else follows from it. */
  let fault: string | undefined;
  let stopTimer: CancelTimer = () => {};

  async function open(): Promise<Client> {
    const client = listeningClient();
    latest = client;
    fault = undefined;
    try {
      const transport = await connect();
      if (isClosed) throw new Error(`The tool server "${name}" was closed`);
      await client.connect(transport, { timeout: START_TIMEOUT_MS });
      tools = await readTools(client, START_TIMEOUT_MS);
    } catch (cause) {
      await client.close();
      throw cause;
    }
    const openedAtMs = clock.now();
    const stopPings = clock.every(pingMs, () => void ping(client));
    client.onclose = () => {
      stopPings();
      current = undefined;
      isUp = false;
      failures = clock.now() - openedAtMs >= STEADY_MS ? 0 : failures + 1;
      if (isClosed) return;
      logger.warn('tool-server-ended', { server: name });
      returnLater();
      tellChange();
    };
    isUp = true;
    logger.info('tool-server-started', { server: name, tools: tools.length });
    tellChange();
    return client;
  }

  /** A server that is slow to answer, or knows no ping, is there. */
  async function ping(client: Client): Promise<void> {
    try {
      await client.ping({ timeout: pingMs });
    } catch (cause) {
      if (isLostConnection(cause)) await client.close();
    }
  }

  function listeningClient(): Client {
    let asked = 0;
    const onChanged = () => {
      asked += 1;
      const order = asked;
      readTools(client, START_TIMEOUT_MS).then(
        (read) => {
          // Two changes in a row may be answered in any order; the later question has the newer answer.
          if (order !== asked) return;
          tools = read;
          tellChange();
        },
        (cause) => logger.warn('tools-not-read', { server: name, error: String(cause) }),
      );
    };
    const client: Client = new Client(
      { name: 'orrery-device', version: '1' },
      { listChanged: { tools: { autoRefresh: false, onChanged } } },
    );
    client.onerror = (error) => {
      fault ??= error.message;
      logger.debug('tool-server-error', { server: name, error: error.message });
    };
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      if (params.message !== undefined) outputs.add(params.progressToken, params.message);
    });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { data, level } }) => {
      const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
      if (!outputs.addToOnly(text)) logger.debug('tool-server-said', { server: name, level, text });
    });
    return client;
  }

  function tellChange(): void {
    for (const listener of listeners) listener();
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

  async function tryOnce(): Promise<void> {
    try {
      await connected();
    } catch (cause) {
      if (isClosed) return;
      const report = { server: name, error: cause instanceof Error ? cause.message : String(cause) };
      // Said once; that it is still so is no news.
      if (failures === 0) logger.error('tool-server-failed', report);
      else logger.debug('tool-server-failed', report);
      failures += 1;
      returnLater();
    }
  }

  /** That a connection has ended says nothing of why; its fault does. */
  function withFault(cause: unknown): unknown {
    const isEnd = cause instanceof McpError && cause.code === ErrorCode.ConnectionClosed;
    if (!isEnd || fault === undefined) return cause;
    return new Error(`the connection to its server ended: ${fault}`, { cause });
  }

  function returnLater(): void {
    stopTimer();
    const delayMs = Math.min(returnMs * 2 ** Math.max(failures - 1, 0), RETURN_MS_MAX);
    stopTimer = clock.after(delayMs, () => void tryOnce());
  }

  return {
    name,
    get isUp() {
      return isUp;
    },
    start() {
      firstTry ??= tryOnce();
      return firstTry;
    },
    describe: () => ({ name, tools }),
    onChanged(listener) {
      const entry = () => listener();
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    async call({ tool, parameters, signal, timeoutMs, onOutput }) {
      const client = await connected();
      const output = outputs.open(onOutput);
      const _meta = { progressToken: output.token, [TIME_LIMIT_MEMBER]: timeoutMs };
      const order = { name: tool, arguments: { ...parameters }, _meta };
      try {
        const answer = await client.callTool(order, undefined, { signal, timeout: timeoutMs + OWN_END_MS });
        fault = undefined;
        return answerSchema.parse(answer);
      } catch (cause) {
        if (isLostConnection(cause)) await client.close();
        throw withFault(cause);
      } finally {
        output.close();
      }
    },
    async close() {
      isClosed = true;
      stopTimer();
      // Also one that is still connecting: nobody waits for its answer any more.
      await latest?.close();
    },
  };
}
