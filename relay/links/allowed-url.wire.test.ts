import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createNodeTransport } from '@/relay/net/node-socket';
import { listen, startLoopback } from '@/relay/net/testing/loopback';
import type { AddressPolicy } from './address-policy';
import { createGuardedLookup } from './allowed-url';

const HOME: AddressPolicy = { networks: ['127.0.0.0/8'] };
const PUBLIC: AddressPolicy = { networks: [] };

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A device server of this machine that answers to a name, and the count of connections that reached it. */
async function aNamedServer() {
  let reached = 0;
  const server = await startLoopback({
    onTransport: () => {
      reached += 1;
    },
  });
  undo.push(() => server.stop());
  const url = server.url.replace('127.0.0.1', 'device.test');
  return { url, reached: () => reached };
}

/** A name server that says something else each time. */
function answering(url: string, policy: AddressPolicy, answers: readonly (readonly string[])[]): LookupFunction {
  const left = [...answers];
  return createGuardedLookup(url, policy, (_name, _options, done) =>
    done(
      null,
      (left.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
}

async function connect(url: string, lookup: LookupFunction): Promise<string> {
  const transport = createNodeTransport({ url, lookup });
  undo.push(() => transport.terminate());
  try {
    await transport.connect();
    return 'connected';
  } catch (cause) {
    return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  }
}

test('[AIP-31] a connection goes to the address that was checked, and nobody resolves the name again', async () => {
  const server = await aNamedServer();
  const lookup = answering(server.url, HOME, [['127.0.0.1']]);
  expect(await connect(server.url, lookup)).toBe('connected');
  expect(server.reached()).toBe(1);
});

test('[AIP-31] a name that leads elsewhere at the next connection is checked again, and nothing is connected', async () => {
  const server = await aNamedServer();
  const lookup = answering(server.url, HOME, [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '10.0.0.1']]);
  expect(await connect(server.url, lookup)).toBe('connected');
  expect(await connect(server.url, lookup)).toBe('address-not-allowed');
  expect(await connect(server.url, lookup)).toBe('address-not-allowed');
  expect(server.reached()).toBe(1);
});

test('[AIP-31] a public name that stands for this machine reaches nothing on it', async () => {
  const server = await aNamedServer();
  for (const answer of ['127.0.0.1', '::ffff:127.0.0.1', '::1', '0.0.0.0', '::']) {
    const outcome = await connect(server.url, answering(server.url, PUBLIC, [[answer]]));
    expect([answer, outcome]).toEqual([answer, 'address-not-allowed']);
  }
  expect(server.reached()).toBe(0);
});

test('[AIP-31] a redirect is not followed, wherever it leads', async () => {
  const hidden = await aNamedServer();
  const http = createServer((_request, response) => response.writeHead(302, { location: hidden.url }).end());
  const port = await listen(http);
  undo.push(() => http.close());
  const url = `ws://device.test:${port}/ws`;
  expect(await connect(url, answering(url, HOME, [['127.0.0.1'], ['127.0.0.1']]))).toBe('http');
  expect(hidden.reached()).toBe(0);
});
