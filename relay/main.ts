import { parseRelayConfig, type RelayConfig } from './config';
import { createRelay, type Relay } from './create-relay';
import { EngineError } from './engine/engine-error';
import { createJsonLogger } from './net/json-logger';
import { createNodeClock } from './net/node-clock';
import { createNodeRandom } from './net/node-random';
import { StartError } from './start-error';

/** Longer than the slowest clean stop; beyond it the process ends as it is, which the journal survives. */
const STOP_MS_MAX = 9_000;

async function main(): Promise<void> {
  const isSupervised = process.connected;
  const config = parseRelayConfig(process.env);
  if (!config.ok) return fail(config.error.map((problem) => problem.message));
  const clock = createNodeClock();
  const logger = createJsonLogger({ stream: process.stdout, clock, level: config.value.logLevel });
  for (const warning of config.value.warnings) logger.warn('setting-doubtful', { warning });

  const onFatal = (cause: unknown) => {
    logger.error('relay-failed', { error: textOf(cause) });
    process.exit(1);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);

  const relay = await start(config.value, (started) =>
    createRelay({ config: started, clock, random: createNodeRandom(), logger, onFatal }),
  );
  if (relay === undefined) return;
  const stop = stopWhenAsked(relay);
  // A supervisor that went away during the start is not told of again.
  if (isSupervised && !process.connected) stop();
  const { origin, signInUrl, tokenFile } = relay;
  if (process.connected) process.send?.({ type: 'ready', origin, signInUrl, tokenFile });
}

async function start(config: RelayConfig, create: (config: RelayConfig) => Promise<Relay>): Promise<Relay | undefined> {
  try {
    return await create(config);
  } catch (cause) {
    if (!(cause instanceof StartError) && !(cause instanceof EngineError)) throw cause;
    fail([cause.message]);
    return undefined;
  }
}

/** Signals, and a supervisor that is gone: its children must not outlive it. */
function stopWhenAsked(relay: Relay): () => void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    relay.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  return stop;
}

/** One sentence a line, for whoever started it. */
function fail(sentences: readonly string[]): void {
  process.stderr.write(`${sentences.join('\n')}\n`);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

await main();
