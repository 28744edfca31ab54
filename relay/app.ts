import { Hono } from 'hono';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { ApiContext, ApiEnv, ApiRoute } from './api/api-env';
import { describeApi } from './api/openapi';
import { problemResponse } from './api/problem';
import type { Identify } from './auth/identify';

export type RelayAppPorts = {
  readonly identify: Identify;
  readonly logger: Logger;
  readonly random: Random;
  readonly version: string;
};

/** The HTTP side of the relay. It does not listen, so that tests call `app.request()`. */
export function createRelayApp(ports: RelayAppPorts, routes: readonly ApiRoute[]): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>({ strict: false });
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(API_HEADERS)) context.res.headers.set(name, value);
  });
  const all = [...routes, openapiRoute(() => description)];
  const description = describeApi(all, ports.version);
  for (const route of all) {
    app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
      const refused = route.access === 'open' ? undefined : admit(ports.identify, context);
      return refused ?? route.handle(context);
    });
  }
  for (const [path, methods] of methodsByPath(all)) {
    app.all(honoPath(path), (context) => methodNotAllowed(context, methods));
  }
  app.notFound((context) => {
    const detail = `There is nothing at ${context.req.path.slice(0, 200)}; GET /v1/openapi.json describes the API.`;
    return problemResponse({ status: 404, code: 'not-found', detail });
  });
  app.onError((error, context) => failed(ports, error, context));
  return app;
}

/** Answers of the API are data: never sniffed, framed, cached or executed. */
const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

function admit(identify: Identify, context: ApiContext): Response | undefined {
  const result = identify({
    method: context.req.method,
    authorization: context.req.header('authorization'),
    cookie: context.req.header('cookie'),
    origin: context.req.header('origin'),
    fetchSite: context.req.header('sec-fetch-site'),
  });
  switch (result.kind) {
    case 'known':
      context.set('identity', result.identity);
      return undefined;
    case 'unknown':
      return problemResponse({
        status: 401,
        code: 'not-signed-in',
        detail: result.message,
        headers: { 'www-authenticate': 'Bearer realm="orrery"' },
      });
    case 'foreign':
      return problemResponse({ status: 403, code: 'foreign-origin', detail: result.message });
  }
}

/** The stack goes to the log; the answer has only the id to find it by. */
function failed(ports: RelayAppPorts, error: Error, context: ApiContext): Response {
  const correlationId = ports.random.uuid();
  ports.logger.error('request-failed', {
    correlationId,
    method: context.req.method,
    path: context.req.path.slice(0, 200),
    error: error.stack ?? error.message,
  });
  return problemResponse({
    status: 500,
    code: 'internal',
    detail: `Something went wrong in the relay; its log has the details under ${correlationId}.`,
    instance: `urn:uuid:${correlationId}`,
  });
}

/** Not open: what the relay can do is nobody's business who may not use it. */
function openapiRoute(description: () => ReturnType<typeof describeApi>): ApiRoute {
  return {
    method: 'get',
    path: '/v1/openapi.json',
    summary: 'This description',
    access: 'signed-in',
    answers: { 200: { about: 'OpenAPI 3.1.' } },
    handle: () => new Response(JSON.stringify(description()), { headers: { 'content-type': 'application/json' } }),
  };
}

function methodNotAllowed(context: ApiContext, methods: readonly string[]): Response {
  const allow = methods.join(', ');
  return problemResponse({
    status: 405,
    code: 'method-not-allowed',
    detail: `Expected ${allow} for ${context.req.path.slice(0, 200)}, got ${context.req.method}.`,
    headers: { allow },
  });
}

function methodsByPath(routes: readonly ApiRoute[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const known = methods.get(route.path) ?? [];
    known.push(route.method.toUpperCase());
    methods.set(route.path, known);
  }
  return methods;
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
