import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { createRoutes } from './api/routes';
import { createRelayApp } from './app';
import { loadAdminToken } from './auth/admin-token';
import { createAllowList } from './auth/allow-list';
import { createIdentify } from './auth/identify';
import { createSessions } from './auth/sessions';
import { createSignInCodes, signInUrl } from './auth/sign-in-codes';
import { createTickets } from './auth/tickets';
import type { RelayConfig } from './config';
import { createGateway, type Gateway } from './gateway/gateway';
import { createPageProxy } from './gateway/page-proxy';
import { attachPublicServer } from './gateway/public-server';
import { createStaticFiles } from './gateway/static-files';
import { createEntrance, type Entrance } from './gateway/websocket-entrance';
import { listen } from './listen';
import { syncLocalDevice } from './local-device';
import { createRelayCore, type RelayCore } from './runtime/create-relay-core';
import { StartError } from './start-error';
import { RELAY_VERSION } from './version';

export type RelayOptions = {
  readonly config: RelayConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The journal cannot be written any more: the process is to end, for its supervisor to start it again. */
  readonly onFatal: (cause: unknown) => void;
};

export type Relay = {
  /** Where programs on this machine reach it. */
  readonly origin: string;
  /** A new link, good once. */
  readonly signInUrl: string;
  /** Undefined when the token was set and stands in no file. */
  readonly tokenFile: string | undefined;
  /** Says bye to browsers, closes device links and the journal. May be called twice. */
  close(): Promise<void>;
};

/**
 * The relay, listening.
 *
 * @throws StartError or EngineError with one sentence when the port or the data folder cannot be used
 */
export async function createRelay(options: RelayOptions): Promise<Relay> {
  const { config, clock, random, logger, onFatal } = options;
  const { dataDir, deviceNetworks, deviceForgetAfterMs } = config;
  const core = createRelayCore({ dataDir, deviceNetworks, deviceForgetAfterMs, clock, random, logger, onFatal });
  const server = createServer();
  try {
    const admin = adminTokenOf(config, random);
    await syncLocalDevice({ runtime: core.runtime, random, logger, os: process.platform }, config);
    const port = await listen(server, config.host, config.port);
    return assemble(options, { core, server, port, admin });
  } catch (cause) {
    server.close();
    await core.close();
    throw cause;
  }
}

type Parts = {
  readonly core: RelayCore;
  readonly server: Server;
  readonly port: number;
  readonly admin: ReturnType<typeof loadAdminToken>;
};

/** In one turn with the begin of listening, so that no request comes before there is somebody to answer. */
function assemble({ config, clock, random, logger }: RelayOptions, { core, server, port, admin }: Parts): Relay {
  const { runtime, engine } = core;
  const { kv, blobs } = engine;
  const cookieSecurity = config.publicOrigin?.startsWith('https:') ? 'secure' : 'plain';
  const allowList = createAllowList({ ...config, port, ownAddresses: ownAddresses() });
  const sessions = createSessions({ kv, clock, random });
  const signInCodes = createSignInCodes({ kv, clock, random });
  const tickets = createTickets({ clock, random });
  sessions.onEnded((sessionId) => tickets.revokeOf(sessionId));
  const identify = createIdentify({ adminToken: admin.token, sessions, allowList, cookieSecurity });
  const gateway = createGateway({ runtime, sessions, tickets, clock, random, logger });
  const entrance = createEntrance({ gateway, allowList, limits: config, logger });
  const { requestBytesMax, nextOrigin } = config;
  const app = createRelayApp(
    { identify, logger, random, version: RELAY_VERSION },
    createRoutes({
      ...{ runtime, kv, blobs, clock, random, requestBytesMax },
      ...{ sessions, signInCodes, tickets, allowList, cookieSecurity, logger },
    }),
  );
  const proxy = nextOrigin === undefined ? undefined : createPageProxy({ nextOrigin, random, logger });
  const pages = proxy && { proxy, staticFiles: createStaticFiles(config.nextStaticDir) };
  attachPublicServer(server, { app, entrance, allowList, pages, logger });
  logger.info('relay-listens', { host: config.host, port });

  let closing: Promise<void> | undefined;
  return {
    origin: allowList.localOrigin,
    signInUrl: signInUrl(allowList.origin, signInCodes.issue()),
    tokenFile: admin.file,
    close() {
      closing ??= stop({ server, gateway, entrance, core }).finally(() => {
        proxy?.close();
        logger.info('relay-stopped');
      });
      return closing;
    },
  };
}

type Stopping = {
  readonly server: Server;
  readonly gateway: Gateway;
  readonly entrance: Entrance;
  readonly core: RelayCore;
};

/** From the outside in: nobody new, browsers told, then the writer and its journal. */
async function stop({ server, gateway, entrance, core }: Stopping): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await gateway.close();
  entrance.close();
  await core.close();
  server.closeAllConnections();
  await closed;
}

function adminTokenOf(config: RelayConfig, random: Random): ReturnType<typeof loadAdminToken> {
  try {
    return loadAdminToken(config.dataDir, config.token, random);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const sentence = `The API token in ${config.dataDir} cannot be read or written (${why}); correct its permissions.`;
    throw new StartError(sentence, { cause });
  }
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map((entry) => entry.address));
}
