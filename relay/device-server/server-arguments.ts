import { parseArgs } from 'node:util';
import type { LogLevel } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';

export type ServerArguments =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'serve';
      readonly host: string;
      readonly port: number;
      /** Absent: one is made. */
      readonly apiKey: string | undefined;
      readonly logLevel: LogLevel | 'silent';
    };

export const SERVER_USAGE = `Usage: npm run device-server -- [options]

Serves devices and constellations over AIP: WebSocket on /ws?token=KEY, HTTP API under /api with the header X-API-Key.

  --port N         port to listen on; 0 takes a free one (default 5000)
  --host H         address to listen on (default 127.0.0.1, this machine only)
  --api-key K      key that every client must give; made and printed if it is left out
  --api-key-env V  the same from the environment variable V, out of sight of lists of processes
  --log-level L    silent, error, warn, info or debug (default info)
  --platform P     windows, linux, mobile or macos; taken for compatibility, devices of every platform are served
  --help           this text
`;

/** Variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

const PLATFORMS = ['windows', 'linux', 'mobile', 'macos', 'darwin'];
/** The stock server's words stand for ours. */
const LEVELS = new Map<string, LogLevel | 'silent'>([
  ['silent', 'silent'],
  ['off', 'silent'],
  ['critical', 'error'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['info', 'info'],
  ['debug', 'debug'],
]);

/** @returns what to do, or one sentence that says which argument is wrong and what was expected */
export function parseServerArguments(
  args: readonly string[],
  environment: Environment,
): Result<ServerArguments, string> {
  const parsed = parse(args);
  if (!parsed.ok) return parsed;
  const values = parsed.value;
  if (values.help) return ok({ kind: 'help' });
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    return err(`Expected --port to be a number from 0 to 65535, got ${JSON.stringify(values.port)}`);
  }
  if (values.host === '') return err('Expected --host to be an address such as 127.0.0.1, got nothing');
  const apiKey = readApiKey(values, environment);
  if (!apiKey.ok) return apiKey;
  if (values.platform !== undefined && !PLATFORMS.includes(values.platform)) {
    return err(`Expected --platform to be windows, linux, mobile or macos, got ${JSON.stringify(values.platform)}`);
  }
  const logLevel = LEVELS.get(values['log-level'].toLowerCase());
  if (logLevel === undefined) {
    const given = JSON.stringify(values['log-level']);
    return err(`Expected --log-level to be silent, error, warn, info or debug, got ${given}`);
  }
  return ok({ kind: 'serve', host: values.host, port, apiKey: apiKey.value, logLevel });
}

type KeyOptions = { readonly 'api-key'?: string | undefined; readonly 'api-key-env'?: string | undefined };

/** A variable that is named and not there must not end in a key that nobody expects. */
function readApiKey(values: KeyOptions, environment: Environment): Result<string | undefined, string> {
  const { 'api-key': given, 'api-key-env': variable } = values;
  if (given !== undefined && variable !== undefined) return err('Expected either --api-key or --api-key-env, got both');
  if (given === '') return err('Expected --api-key to be some text, got nothing; leave it out and a key is made');
  if (variable === undefined) return ok(given);
  const key = environment[variable];
  if (key !== undefined && key !== '') return ok(key);
  return err(`Expected the variable ${JSON.stringify(variable)} of --api-key-env to hold the key, got nothing`);
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '5000' },
        host: { type: 'string', default: '127.0.0.1' },
        'api-key': { type: 'string' },
        'api-key-env': { type: 'string' },
        'log-level': { type: 'string', default: 'info' },
        platform: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return ok(values);
  } catch (cause) {
    // `parseArgs` says in a sentence which option is unknown or lacks its value.
    return err(cause instanceof Error ? cause.message : String(cause));
  }
}
