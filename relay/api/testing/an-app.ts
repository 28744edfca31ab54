import { expect } from 'vitest';
import { problemSchema } from '@/lib/relay-protocol/http';
import { createRoutes } from '@/relay/api/routes';
import { createRelayApp } from '@/relay/app';
import { createAllowList } from '@/relay/auth/allow-list';
import { createIdentify } from '@/relay/auth/identify';
import { createSessions } from '@/relay/auth/sessions';
import { createSignInCodes } from '@/relay/auth/sign-in-codes';
import { createTickets } from '@/relay/auth/tickets';
import { createFakeClock } from '@/relay/gateway/testing/fake-clock';
import { createFakeRuntime } from '@/relay/gateway/testing/fake-runtime';
import { createNodeRandom } from '@/relay/net/node-random';

const TOKEN = 't'.repeat(32);

/** The whole HTTP side over a fake runtime; `call` speaks with the admin token. */
export function anApp() {
  const clock = createFakeClock();
  const random = createNodeRandom();
  const runtime = createFakeRuntime({ clock, random });
  const { kv } = runtime.engine;
  const sessions = createSessions({ kv, clock, random });
  const signInCodes = createSignInCodes({ kv, clock, random });
  const tickets = createTickets({ clock, random });
  const allowList = createAllowList({
    host: '127.0.0.1',
    port: 3000,
    allowedHosts: [],
    publicOrigin: undefined,
    ownAddresses: [],
  });
  const identify = createIdentify({ adminToken: TOKEN, sessions, allowList, cookieSecurity: 'plain' });
  const logged: string[] = [];
  const note = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const logger = { error: note, warn: note, info: note, debug: note };
  const broken = {
    method: 'get',
    path: '/v1/broken',
    summary: 'Fails',
    access: 'open',
    answers: {},
    handle: () => {
      throw new Error('SELECT secret FROM /home/orrery/journal.db');
    },
  } as const;
  const ports = { runtime, kv, blobs: runtime.engine.blobs, clock, random, requestBytesMax: 1_000_000 };
  const session = { sessions, signInCodes, tickets, allowList, cookieSecurity: 'plain', logger } as const;
  const app = createRelayApp({ identify, logger, random, version: '0.0.0' }, [
    ...createRoutes({ ...ports, ...session }),
    broken,
  ]);
  /** `what` is method and path, such as `GET /v1/devices`. */
  const call = (what: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.request(what.split(' ')[1] ?? '', {
      method: what.split(' ')[0] ?? '',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return { app, call, runtime, clock, logged, signInCodes, sessions };
}

/** The body of an error answer; it must be a problem of the status it came with. */
export async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = problemSchema.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return problem;
}
