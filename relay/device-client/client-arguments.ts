import { parseArgs } from 'node:util';
import { deviceIdSchema } from '@/lib/std/ids';
import type { LogLevel } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';
import { COMMAND_NAME } from './tools/command-policy';

export type ClientArguments =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'run';
      /** With the token in its query: never to be shown. */
      readonly serverUrl: string;
      readonly id: string;
      readonly root: string;
      readonly mcpFile: string | undefined;
      readonly platform: string;
      readonly allowedCommands: readonly string[];
      readonly addedCapabilities: readonly string[];
      readonly logLevel: LogLevel | 'silent';
    };

export const CLIENT_USAGE = `Usage: npm run device -- --server-url 'ws://host:port/ws?token=KEY' --id NAME [options]

Connects this machine to a device server and runs what it is told: built-in tools and those of MCP servers.

  --server-url U       address of the device server, with its key as token
  --server-url-env V   the same from the environment variable V, out of sight of lists of processes
  --id NAME            name of this device: letters, digits, ".", "_" or "-"
  --root DIR           the only folder that tools read and write; made if missing (default ./device-root)
  --mcp FILE           JSON with "mcpServers", as other MCP clients use it: more tools
  --allow A,B          more commands for execute_command, each without limits on its arguments
  --capability C       something else that this device can do; may be given several times
  --platform P         windows, linux, mobile or macos (default: this machine's)
  --log-level L        silent, error, warn, info or debug (default error); the log goes to stderr
  --help               this text
`;

/** Variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

const PLATFORMS = ['windows', 'linux', 'mobile', 'macos', 'darwin'];
const LEVELS: readonly string[] = ['silent', 'error', 'warn', 'info', 'debug'] satisfies (LogLevel | 'silent')[];

/** @returns what to do, or one sentence that says which argument is wrong; never with the URL in it */
export function parseClientArguments(
  args: readonly string[],
  environment: Environment,
): Result<ClientArguments, string> {
  const parsed = parse(args);
  if (!parsed.ok) return parsed;
  const values = parsed.value;
  if (values.help) return ok({ kind: 'help' });
  const serverUrl = readServerUrl(values, environment);
  if (!serverUrl.ok) return serverUrl;
  const id = deviceIdSchema.safeParse(values.id ?? '');
  if (!id.success) return err(`Expected --id NAME: ${id.error.issues[0]?.message ?? 'no usable name'}`);
  const { platform, root } = values;
  if (!PLATFORMS.includes(platform)) {
    return err(`Expected --platform to be windows, linux, mobile or macos, got ${JSON.stringify(platform)}`);
  }
  if (root === '') return err('Expected --root to be a folder, got nothing');
  const logLevel = values['log-level'];
  if (!isLogLevel(logLevel)) {
    return err(`Expected --log-level to be ${LEVELS.join(', ')}, got ${JSON.stringify(logLevel)}`);
  }
  const allowedCommands = values.allow.flatMap((list) => list.split(',')).map((name) => name.trim());
  const strange = allowedCommands.find((name) => !COMMAND_NAME.test(name));
  if (strange !== undefined) {
    return err(`Expected --allow to list names of commands without paths, got ${JSON.stringify(strange)}`);
  }
  const addedCapabilities = values.capability.map((name) => name.trim());
  if (addedCapabilities.includes('')) return err('Expected --capability to be a word, got nothing');
  return ok({
    kind: 'run',
    serverUrl: serverUrl.value,
    id: id.data,
    root,
    mcpFile: values.mcp,
    platform,
    allowedCommands,
    addedCapabilities,
    logLevel,
  });
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'server-url': { type: 'string' },
        'server-url-env': { type: 'string' },
        id: { type: 'string' },
        root: { type: 'string', default: 'device-root' },
        mcp: { type: 'string' },
        allow: { type: 'string', multiple: true, default: [] },
        capability: { type: 'string', multiple: true, default: [] },
        // A server drives a Mac like a Linux machine; what it really is stands in its information.
        platform: { type: 'string', default: process.platform === 'win32' ? 'windows' : 'linux' },
        'log-level': { type: 'string', default: 'error' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return ok(values);
  } catch (cause) {
    // The parser's sentence may repeat what was given, and a URL without its option holds a token.
    const message = cause instanceof Error ? cause.message : String(cause);
    return err(message.replace(/\bwss?:\/\/\S*/g, 'a server URL'));
  }
}

type UrlOptions = { readonly 'server-url'?: string | undefined; readonly 'server-url-env'?: string | undefined };

/** Names the option, and the variable, but never what they hold. */
function readServerUrl(values: UrlOptions, environment: Environment): Result<string, string> {
  const { 'server-url': given, 'server-url-env': variable } = values;
  if (given !== undefined && variable !== undefined) {
    return err('Expected either --server-url or --server-url-env, got both');
  }
  if (given === undefined && variable === undefined) {
    return err("Expected --server-url 'ws://host:port/ws?token=KEY', got nothing");
  }
  const serverUrl = variable === undefined ? given : environment[variable];
  const place =
    variable === undefined ? '--server-url' : `the variable ${JSON.stringify(variable)} of --server-url-env`;
  if (serverUrl === undefined || serverUrl === '')
    return err(`Expected ${place} to hold the server's URL, got nothing`);
  if (isServerUrl(serverUrl)) return ok(serverUrl);
  return err(`Expected ${place} to begin with ws:// or wss:// and to name a host, such as ws://127.0.0.1:5000/ws`);
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'ws:' || protocol === 'wss:') && hostname !== '';
}

function isLogLevel(text: string): text is LogLevel | 'silent' {
  return LEVELS.includes(text);
}
