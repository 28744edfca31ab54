import { BlockList, isIP } from 'node:net';
import { errorCode } from '@/lib/std/error-code';
import { createJsonLogger } from '@/relay/net/json-logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { scriptedAgent } from './agents/scripted-agent';
import { makeApiKey } from './api-key';
import { type DeviceServer, openDeviceServer } from './device-server';
import { parseServerArguments, SERVER_USAGE, type ServerArguments } from './server-arguments';

type Serve = Extract<ServerArguments, { kind: 'serve' }>;

async function serve({ host, port, apiKey, logLevel }: Serve): Promise<void> {
  const clock = createNodeClock();
  const logger = createJsonLogger({ stream: process.stderr, clock, level: logLevel });
  const key = apiKey ?? makeApiKey();
  const random = createNodeRandom();
  let server: DeviceServer;
  try {
    server = await openDeviceServer({ host, port, apiKey: key, agent: scriptedAgent, clock, random, logger });
  } catch (cause) {
    process.stderr.write(`${listenFailure(cause, { host, port })}\n`);
    process.exitCode = 1;
    return;
  }
  if (!isLoopback(host)) {
    process.stderr.write(
      `Warning: ${host} is reachable from other machines, and keys travel unencrypted; put a proxy with TLS in front\n`,
    );
  }
  stopOnSignals(server);
  if (apiKey === undefined) process.stdout.write(`API key, made for this start (--api-key sets one): ${key}\n`);
  process.stdout.write(`${JSON.stringify({ type: 'ready', host, port: server.port })}\n`);
  process.send?.({ type: 'ready', port: server.port });
}

function stopOnSignals(server: DeviceServer): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    server.close().then(
      () => process.exit(0),
      (cause) => {
        process.stderr.write(`The device server did not stop cleanly: ${String(cause)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const LISTEN_REASONS: Record<string, string> = {
  EADDRINUSE: 'is in use by another program; choose another with --port, or 0 for a free one',
  EACCES: 'may not be opened by this user; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'is no address of this machine; choose another with --host',
  ENOTFOUND: 'is no known host; choose another with --host',
};

function listenFailure(cause: unknown, { host, port }: { host: string; port: number }): string {
  const code = errorCode(cause);
  return `Cannot listen: ${host}:${port} ${LISTEN_REASONS[code] ?? `cannot be opened (${code || String(cause)})`}`;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The key stands in the command line; the title takes its place in lists of processes. */
process.title = 'orrery-device-server';

const read = parseServerArguments(process.argv.slice(2), process.env);
if (!read.ok) {
  process.stderr.write(`${read.error}\n\n${SERVER_USAGE}`);
  process.exitCode = 2;
} else if (read.value.kind === 'help') process.stdout.write(SERVER_USAGE);
else await serve(read.value);
