import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { toProblem } from '@/lib/relay-protocol/problem';
import type { Logger } from '@/lib/std/logger';
import type { AllowList } from '@/relay/auth/allow-list';
import type { PageProxy } from './page-proxy';
import { STATIC_PREFIX, type StaticFiles } from './static-files';
import { pathOf, type UpgradeRefusal, unknownHost } from './upgrade-guard';
import type { Entrance } from './websocket-entrance';

const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 120_000;
const KEEP_ALIVE_MS = 65_000;

export type PublicServerPorts = {
  /** The API; what it knows of a request is its own affair. */
  readonly app: { fetch(request: Request): Response | Promise<Response> };
  readonly entrance: Entrance;
  readonly allowList: AllowList;
  /** Absent when the relay runs alone. */
  readonly pages: { readonly proxy: PageProxy; readonly staticFiles: StaticFiles } | undefined;
  readonly logger: Logger;
};

/**
 * The one public server. It only sorts: `/v1` and health to the API, `/ws` to the entrance, `/_next/static` to files,
 * the rest to the pages.
 *
 * The server listens already, since the allow-list needs its port; attached in the same turn, it misses no connection.
 */
export function attachPublicServer(server: Server, ports: PublicServerPorts): void {
  const { app, logger, allowList, entrance } = ports;
  const serveApi = getRequestListener(app.fetch, { overrideGlobalObjects: false });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    const isProbe = path === '/healthz' || path === '/readyz';
    // Probes come by address, and learn nothing.
    if (!isProbe && !allowList.isHostAllowed(request.headers.host)) {
      return answer(response, unknownHost(request.headers.host));
    }
    if (isProbe || path === '/v1' || path.startsWith('/v1/')) return serveApi(request, response);
    if (path === '/ws') {
      return answer(response, { status: 426, code: 'upgrade-required', detail: '/ws is a WebSocket.' });
    }
    const { pages } = ports;
    if (pages === undefined) {
      const detail = 'This relay runs without pages; GET /v1/openapi.json describes its API.';
      return answer(response, { status: 404, code: 'not-found', detail });
    }
    if (path.startsWith(STATIC_PREFIX) && (await pages.staticFiles(request, response))) return;
    pages.proxy.handle(request, response);
  }

  server.on('request', (request, response) => {
    serve(request, response).catch((cause: unknown) => {
      logger.error('request-failed', {
        error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      });
      if (response.headersSent) response.destroy();
      else
        answer(response, { status: 500, code: 'internal', detail: 'Something went wrong in the relay; see its log.' });
    });
  });
  server.headersTimeout = HEADERS_MS_MAX;
  server.requestTimeout = REQUEST_MS_MAX;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  server.on('upgrade', (request, socket, head) => entrance.handleUpgrade(request, socket, head));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
}

function answer(response: ServerResponse, refusal: UpgradeRefusal): void {
  response.writeHead(refusal.status, {
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    'x-content-type-options': 'nosniff',
    ...(refusal.status === 426 ? { upgrade: 'websocket' } : {}),
  });
  response.end(`${JSON.stringify(toProblem(refusal))}\n`);
}
