import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { DeviceServerEndpoint, DispatchFailure } from '@/lib/aip/endpoints/device-server-types';
import { isSafeTaskName } from '@/lib/aip/protocol/task-name';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';
import type { KeyCheck } from './api-key';

const BODY_BYTES_MAX = 1024 * 1024;

/** The words of the stock server, which scripts may look for. */
const INVALID_TASK_NAME =
  "Invalid task_name: must be a non-empty string of characters [A-Za-z0-9._-] and must not start with '.'";

type Refusal = { readonly status: 400 | 404 | 422; readonly detail: JsonValue };

type Order = { readonly clientId: string; readonly request: string; readonly taskName?: string };

const STATUS: Record<DispatchFailure['code'], Refusal['status']> = {
  'empty-request': 400,
  'empty-client-id': 400,
  'invalid-task-name': 400,
  'client-offline': 404,
  'not-a-device': 400,
};

export type HttpApiPorts = {
  readonly endpoint: DeviceServerEndpoint;
  readonly isKey: KeyCheck;
  readonly logger: Logger;
};

/** The HTTP routes of a device server: clients, health, dispatch and results, each behind the key. */
export function createHttpApi({ endpoint, isKey, logger }: HttpApiPorts): Hono {
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    context.res.headers.set('cache-control', 'no-store');
    context.res.headers.set('x-content-type-options', 'nosniff');
  });

  app.use('/api/*', async (context, next) => {
    const key = context.req.header('x-api-key');
    if (key === undefined) return context.json({ detail: [missing('header', 'X-API-Key')] }, 422);
    if (!isKey(key)) return context.json({ detail: 'Invalid API key' }, 401);
    return next();
  });

  app.get('/api/clients', (context) => context.json({ online_clients: endpoint.onlineClients() }));
  app.get('/api/health', (context) => context.json({ status: 'healthy', online_clients: endpoint.onlineClients() }));
  app.get('/api/task_result/:name', (context) => context.json(endpoint.taskResult(context.req.param('name'))));
  app.post('/api/dispatch', bodyLimit({ maxSize: BODY_BYTES_MAX, onError: tooLarge }), async (context) => {
    const order = readOrder(await context.req.arrayBuffer());
    if (!order.ok) return context.json({ detail: order.error.detail }, order.error.status);
    const sent = await endpoint.dispatch(order.value);
    if (!sent.ok) return context.json({ detail: sent.error.message }, STATUS[sent.error.code]);
    return context.json({
      status: 'dispatched',
      task_name: sent.value.taskName,
      client_id: order.value.clientId,
      session_id: sent.value.sessionId,
    });
  });

  for (const path of ['/api/clients', '/api/health', '/api/task_result/:name']) app.all(path, methodNotAllowed('GET'));
  app.all('/api/dispatch', methodNotAllowed('POST'));

  app.notFound((context) => context.json({ detail: 'Not Found' }, 404));
  app.onError((error, context) => {
    logger.error('http-failed', { path: context.req.path, error: error.stack ?? error.message });
    return context.json({ detail: 'Internal Server Error' }, 500);
  });
  return app;
}

function methodNotAllowed(allowed: string): (context: Context) => Response {
  return (context) => context.json({ detail: 'Method Not Allowed' }, 405, { allow: allowed });
}

function tooLarge(context: Context): Response {
  return context.json({ detail: `Expected a body of at most ${BODY_BYTES_MAX} bytes` }, 413);
}

/** Reads the order in the order of checks that the stock server has: request, client, name. */
function readOrder(bytes: ArrayBuffer): Result<Order, Refusal> {
  const text = toText(bytes);
  if (text === undefined) return err({ status: 422, detail: 'Expected a JSON object in UTF-8' });
  const body = parseJson(text, { depthMax: 64, protoKey: 'keep' });
  if (!body.ok) return err({ status: 422, detail: `Expected a JSON object: ${body.error.message}` });
  if (!isJsonObject(body.value)) return err({ status: 422, detail: 'Expected a JSON object' });
  const request = readText(body.value, 'request', 'Empty task content');
  if (!request.ok) return request;
  const clientId = readText(body.value, 'client_id', 'Empty client ID');
  if (!clientId.ok) return clientId;
  const taskName = body.value.task_name;
  // Only a name that was left out is made up; null or "" is a mistake of the sender.
  if (taskName === undefined) return ok({ request: request.value, clientId: clientId.value });
  if (typeof taskName !== 'string' || !isSafeTaskName(taskName)) return err({ status: 400, detail: INVALID_TASK_NAME });
  return ok({ request: request.value, clientId: clientId.value, taskName });
}

function toText(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // the bytes are no text, which is all that there is to know
  }
}

function readText(body: JsonObject, name: string, whenEmpty: string): Result<string, Refusal> {
  const value = body[name];
  if (isEmpty(value)) return err({ status: 400, detail: whenEmpty });
  return typeof value === 'string' ? ok(value) : err({ status: 422, detail: `Expected "${name}" to be text` });
}

/** What counts as nothing to the stock server: also 0, false and empty containers. */
function isEmpty(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return !value;
  return Object.keys(value).length === 0;
}

function missing(...place: readonly string[]): JsonObject {
  return { type: 'missing', loc: [...place], msg: 'Field required', input: null };
}
