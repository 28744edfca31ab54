import { createConstellationConnection } from '@/lib/aip/endpoints/constellation-connection';
import type { Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Engine } from '@/relay/engine/engine';
import { openSqliteEngine } from '@/relay/engine/sqlite-engine';
import type { AddressPolicy } from '@/relay/links/address-policy';
import { linkPoolMaker } from '@/relay/links/link-pool';
import { LINK_TIMING, type LinkTiming } from '@/relay/links/link-timing';
import { createSecretBox, loadSecretKey } from '@/relay/links/secrets';
import { createNodeTransport } from '@/relay/net/node-socket';
import { StartError } from '@/relay/start-error';
import { createRuntime } from './runtime';
import type { Runtime } from './runtime-port';

/** The device that a relay brings along on its own machine. */
export const LOCAL_DEVICE_ID = 'local';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export type RelayCoreOptions = {
  readonly dataDir: string;
  /** Networks in CIDR form in which device servers may have private addresses and plain `ws`. */
  readonly deviceNetworks: readonly string[];
  readonly deviceForgetAfterMs?: number | undefined;
  /** Largest message of a device server; a larger one ends the task as failed. */
  readonly deviceMessageBytesMax?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly linkTiming?: Partial<LinkTiming>;
  /** The journal failed: the process is to end with an error, for its supervisor to start it again. */
  readonly onFatal: (cause: unknown) => void;
};

export type RelayCore = {
  readonly runtime: Runtime;
  readonly engine: Engine;
  /** Settles what is open, closes the links, then the journal. May be called twice. */
  close(): Promise<void>;
};

/**
 * Journal, writer and device links of one data folder, ready to be used.
 *
 * @throws EngineError or StartError with a sentence for the operator when the folder cannot be used
 */
export function createRelayCore(options: RelayCoreOptions): RelayCore {
  const { dataDir, clock, random, logger, deviceNetworks, deviceMessageBytesMax } = options;
  const engine = openSqliteEngine({ folder: dataDir, clock, random });
  const timing = { ...LINK_TIMING, ...options.linkTiming };
  function policyFor(deviceId: DeviceId): AddressPolicy {
    return { networks: deviceId === LOCAL_DEVICE_ID ? [...deviceNetworks, ...LOOPBACK] : deviceNetworks };
  }
  try {
    const runtime = createRuntime({
      engine,
      clock,
      random,
      logger,
      box: createSecretBox(secretKeyOf(dataDir)),
      policyFor,
      forgetAfterMs: options.deviceForgetAfterMs,
      builtInIds: new Set([LOCAL_DEVICE_ID]),
      whenIdle: (step) => setImmediate(step),
      onFatal: options.onFatal,
      links: linkPoolMaker({
        clock,
        random,
        logger,
        timing,
        policyFor,
        installation: installationOf(engine, random),
        createEndpoint: createConstellationConnection,
        createTransport: (url, lookup) =>
          createNodeTransport({
            url,
            lookup,
            handshakeTimeoutMs: timing.connectMs,
            ...(deviceMessageBytesMax !== undefined && { messageBytesMax: deviceMessageBytesMax }),
          }),
      }),
    });
    let closing: Promise<void> | undefined;
    return {
      runtime,
      engine,
      close() {
        closing ??= runtime.close().finally(() => engine.close());
        return closing;
      },
    };
  } catch (cause) {
    engine.close();
    throw cause;
  }
}

function secretKeyOf(dataDir: string): Uint8Array {
  try {
    return loadSecretKey(dataDir);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const sentence = `The key of the device secrets cannot be used: ${why}`;
    throw new StartError(sentence, { cause });
  }
}

/** Names this relay on the servers of its devices, the same after each start. */
function installationOf(engine: Engine, random: Random): string {
  const known = engine.kv.get('relay', 'installation');
  if (known !== undefined) return known;
  const installation = random.hex(4);
  engine.kv.write([{ op: 'put', space: 'relay', key: 'installation', value: installation, expiresAtMs: null }]);
  return installation;
}
