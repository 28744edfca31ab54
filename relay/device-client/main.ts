import { readFile } from 'node:fs/promises';
import type { DeviceClientState } from '@/lib/aip/endpoints/device-client-types';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { assertNever } from '@/lib/std/assert-never';
import { errorCode } from '@/lib/std/error-code';
import { err, ok, type Result } from '@/lib/std/result';
import { createJsonLogger } from '@/relay/net/json-logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { createNodeTransport } from '@/relay/net/node-socket';
import { DEVICE_CLIENT_KEEP_ALIVE } from '@/relay/net/ws-transport';
import { CLIENT_USAGE, type ClientArguments, parseClientArguments } from './client-arguments';
import { createDeviceClient, type DeviceClient } from './device-client';
import { parseMcpConfig, type ToolServerConfig } from './mcp/mcp-config';
import { openRootFolder } from './tools/root-folder';

/** A shorter token is a toy, and taking it out of sentences would break words. */
const TOKEN_LENGTH_MIN = 8;

type Run = Extract<ClientArguments, { kind: 'run' }>;

async function start(run: Run): Promise<void> {
  const toolServers = await readToolServers(run.mcpFile);
  if (!toolServers.ok) {
    complain(toolServers.error);
    process.exitCode = 2;
    return;
  }
  let root: Awaited<ReturnType<typeof openRootFolder>>;
  try {
    root = await openRootFolder(run.root);
  } catch (cause) {
    complain(`Cannot use the root folder ${run.root}: ${reasonOf(cause)}; choose another with --root`);
    process.exitCode = 1;
    return;
  }
  say(`Device ${run.id}: its tools read and write only in ${root.realPath}`);
  const clock = createNodeClock();
  const client = createDeviceClient({
    ...run,
    root,
    toolServers: toolServers.value,
    createTransport: () => createNodeTransport({ url: run.serverUrl, keepAlive: DEVICE_CLIENT_KEEP_ALIVE }),
    environment: withoutSecret(process.env, run.serverUrl),
    clock,
    random: createNodeRandom(),
    logger: createJsonLogger({ stream: process.stderr, clock, level: run.logLevel }),
    onState: (state) => {
      const line = describeState(state, { id: run.id, place: new URL(run.serverUrl).host });
      if (line !== undefined) say(withoutToken(line, run.serverUrl));
    },
  });
  serveUntilSignal(client);
}

function serveUntilSignal(client: DeviceClient): void {
  const source = createCancellation();
  const stop = () => {
    // A second signal means: now.
    if (source.cancellation.isCancelled) process.exit(1);
    source.cancel();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('exit', () => client.killCommands());
  client.run(source.cancellation).then(
    () => process.exit(0),
    (cause) => {
      complain(`The device client broke: ${cause instanceof Error ? cause.stack : String(cause)}`);
      process.exit(1);
    },
  );
}

type Names = { readonly id: string; readonly place: string };

function describeState(state: DeviceClientState, { id, place }: Names): string | undefined {
  switch (state.phase) {
    case 'connecting':
      // Later attempts were announced by the line before them.
      return state.attempt === 0 ? `Connecting to ${place}` : undefined;
    case 'registered':
      return `Registered as ${id} with ${place}; waiting for tasks`;
    case 'waiting':
      return `Offline: ${state.message}; next try in ${(state.retryInMs / 1_000).toFixed(1)} s`;
    case 'given-up':
      return `Offline for good: ${state.message}`;
    case 'stopped':
      return 'Stopped';
    default:
      return assertNever(state);
  }
}

/** What this program starts has no use for the address with the token in it. */
function withoutSecret(environment: NodeJS.ProcessEnv, secret: string): NodeJS.ProcessEnv {
  const kept = { ...environment };
  for (const [name, value] of Object.entries(kept)) if (value === secret) delete kept[name];
  return kept;
}

/** No message has the token by intention; a peer that repeats it must not get it printed either. */
function withoutToken(line: string, serverUrl: string): string {
  const token = new URL(serverUrl).searchParams.get('token') ?? '';
  return token.length < TOKEN_LENGTH_MIN ? line : line.replaceAll(token, '[token]');
}

async function readToolServers(file: string | undefined): Promise<Result<readonly ToolServerConfig[], string>> {
  if (file === undefined) return ok([]);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    return err(`Cannot read the --mcp file ${file}: ${reasonOf(cause)}`);
  }
  const parsed = parseMcpConfig(text);
  return parsed.ok ? parsed : err([`The --mcp file ${file} cannot be used:`, ...parsed.error].join('\n  '));
}

function reasonOf(cause: unknown): string {
  return errorCode(cause) || String(cause);
}

/** One line for people. A peer's words may be in it, so it must not be able to move the cursor. */
function say(line: string): void {
  process.stdout.write(`${plain(line)}\n`);
}

function complain(text: string): void {
  process.stderr.write(`${text.split('\n').map(plain).join('\n')}\n`);
}

function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}

/** The token stands in the command line; the title takes its place in lists of processes. */
process.title = 'orrery-device-client';

const read = parseClientArguments(process.argv.slice(2), process.env);
if (!read.ok) {
  complain(`${read.error}\n\n${CLIENT_USAGE.trimEnd()}`);
  process.exitCode = 2;
} else if (read.value.kind === 'help') process.stdout.write(CLIENT_USAGE);
else await start(read.value);
