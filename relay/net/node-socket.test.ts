import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { ConnectError } from '@/lib/aip/transport/transport';
import { transportContract } from '@/lib/aip/transport/transport.contract';
import { createNodeTransport, type NodeSocketOptions } from './node-socket';
import { type Loopback, listen, startLoopback } from './testing/loopback';

const SECRET = 'hunter2-token';

let loopback: Loopback;
beforeAll(async () => {
  loopback = await startLoopback();
});
afterAll(() => loopback.stop());

async function openPair(options: Partial<NodeSocketOptions> = {}) {
  const client = createNodeTransport({ url: loopback.url, ...options });
  const [server] = await Promise.all([loopback.accepted(), client.connect()]);
  return [client, server] as const;
}

async function failureOf(options: NodeSocketOptions, cancellation = neverCancelled): Promise<ConnectError> {
  const transport = createNodeTransport(options);
  try {
    await transport.connect(cancellation);
  } catch (error) {
    expect(transport.state).toBe('error');
    if (error instanceof ConnectError) return error;
    throw error;
  }
  throw new Error('Expected the connection to fail');
}

describe('client end to server end', () => {
  transportContract(() => openPair());
});

describe('server end to client end', () => {
  transportContract(async () => {
    const [client, server] = await openPair();
    return [server, client];
  });
});

test('a peer whose frames are not read is held back, and nothing is lost', async () => {
  const [client, server] = await openPair();
  const text = 'x'.repeat(262_144);
  const count = 200;
  let sent = 0;
  const sending = (async () => {
    for (let index = 0; index < count; index += 1) {
      await server.send(text);
      sent += 1;
    }
  })();
  const isStuck = await Promise.race([
    sending.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 300)),
  ]);

  expect(isStuck).toBe(true);
  expect(sent).toBeLessThan(count);
  for (let index = 0; index < count; index += 1) expect(await client.receive()).toBe(text);
  await sending;
  await client.close(1000, '');
});

test('a message over the limit ends the connection with 1009', async () => {
  const [client, server] = await openPair({ messageBytesMax: 1_000 });

  await server.send('x'.repeat(1_001));

  await expect(client.receive()).rejects.toMatchObject({ closed: { code: 1009 } });
  expect(await server.waitClosed()).toMatchObject({ code: 1009 });
});

test('a transport is disconnected, then connecting, then connected, and connects once', async () => {
  const transport = createNodeTransport({ url: loopback.url });
  const states = [transport.state];

  const connecting = transport.connect();
  states.push(transport.state);
  await Promise.all([connecting, loopback.accepted()]);
  states.push(transport.state);
  await transport.close();
  states.push(transport.state);

  expect(states).toEqual(['disconnected', 'connecting', 'connected', 'disconnected']);
  await expect(transport.connect()).rejects.toThrow('A transport connects once');
});

test('frames that come with the end of the handshake are not lost', async () => {
  const eager = await startLoopback({ onTransport: (transport) => void transport.send('first') });
  for (let round = 0; round < 50; round += 1) {
    const transport = createNodeTransport({ url: eager.url });
    await transport.connect();
    expect(await transport.receive()).toBe('first');
    await transport.close();
  }
  await eager.stop();
});

test('a long goodbye is shortened to what a close frame holds', async () => {
  const [client, server] = await openPair();

  await client.close(4000, 'ü'.repeat(100));

  expect(await server.waitClosed()).toEqual({ code: 4000, reason: 'ü'.repeat(61), clean: true });
});

test('[AIP-24] a silent peer is noticed by pings', async () => {
  const tcp = createTcpServer((socket) => {
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(request.toString())?.[1] ?? '';
      import('node:crypto').then(({ createHash }) => {
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
      });
    });
    socket.on('error', () => {}); // the client cuts the connection, which is the point
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const keepAlive = { pingIntervalMs: 20, pingTimeoutMs: 40 };

  const transport = createNodeTransport({ url: `ws://127.0.0.1:${port}/`, keepAlive });
  await transport.connect();

  expect(await transport.waitClosed()).toMatchObject({ code: 1006, clean: false });
  tcp.close();
});

test('a stall of this process is not taken for silence of its peers', async () => {
  const [client, server] = await openPair({ keepAlive: { pingIntervalMs: 10, pingTimeoutMs: 20 } });
  const untilMs = Date.now() + 200;
  while (Date.now() < untilMs); // nothing of this process runs meanwhile

  await new Promise((resolve) => setTimeout(resolve, 30));

  expect([client.state, server.state]).toEqual(['connected', 'connected']);
  await client.close(1000, '');
});

test('[AIP-24] a peer that answers pings stays, however little it says', async () => {
  const [client] = await openPair({ keepAlive: { pingIntervalMs: 10, pingTimeoutMs: 90 } });

  await new Promise((resolve) => setTimeout(resolve, 250));

  expect(client.state).toBe('connected');
  await client.close(1000, '');
});

test.each([
  ['compresses what it can', true],
  ['does not compress', false],
])('[AIP-29] a server that %s is understood', async (_name, perMessageDeflate) => {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate });
  await once(sockets, 'listening');
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  const address = sockets.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const transport = createNodeTransport({ url: `ws://127.0.0.1:${port}/` });
  await transport.connect();
  const text = 'é😀'.repeat(100_000);

  await transport.send(text);

  expect(await transport.receive()).toBe(text);
  await transport.close();
  sockets.close();
});

describe('failures have a code, and never repeat the token', () => {
  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [302, 'http'],
    [500, 'http'],
  ] as const)('HTTP %i is %s', async (status, code) => {
    const http = createServer((_request, response) => response.writeHead(status, { location: '/elsewhere' }).end());
    const port = await listen(http);

    const error = await failureOf({ url: `ws://127.0.0.1:${port}/ws?token=${SECRET}` });

    expect(error).toMatchObject({ code, status });
    expect(`${error.message} ${String(error.cause)}`).not.toContain(SECRET);
    http.close();
  });

  test('nothing listens: refused', async () => {
    const http = createServer();
    const port = await listen(http);
    http.close();
    await once(http, 'close');

    const error = await failureOf({ url: `ws://127.0.0.1:${port}/ws?token=${SECRET}` });

    expect(error.code).toBe('refused');
    expect(error.message).not.toContain(SECRET);
  });

  test('a port that speaks another protocol is told in words', async () => {
    const other = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await listen(other);

    const error = await failureOf({ url: `ws://127.0.0.1:${port}/ws?token=${SECRET}` });

    expect(error.code).toBe('http');
    expect(error.message).toBe(
      `Expected a WebSocket at ws://127.0.0.1:${port}, got an answer that is no HTTP; check host and port`,
    );
    other.close();
  });

  test('no such host: dns', async () => {
    const lookup: NodeSocketOptions['lookup'] = (hostname, _options, callback) => {
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
    };

    expect((await failureOf({ url: 'ws://device.invalid/ws', lookup })).code).toBe('dns');
  });

  test('a lookup that refuses an address is heard with its own code', async () => {
    const lookup: NodeSocketOptions['lookup'] = (_hostname, _options, callback) => {
      callback(new ConnectError('address-not-allowed', 'not there'), []);
    };

    expect((await failureOf({ url: 'ws://device.invalid/ws', lookup })).code).toBe('address-not-allowed');
  });

  test('TLS to a server without it: tls or failed, never open', async () => {
    const http = createServer();
    const port = await listen(http);

    const error = await failureOf({ url: `wss://127.0.0.1:${port}/ws?token=${SECRET}` });

    expect(['tls', 'failed']).toContain(error.code);
    expect(error.message).not.toContain(SECRET);
    http.close();
  });

  test('a server that says nothing: timeout', async () => {
    const tcp = createTcpServer((socket) => socket.on('error', () => {})); // cut by the client, which is the point
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    const error = await failureOf({ url: `ws://127.0.0.1:${port}/ws?token=${SECRET}`, handshakeTimeoutMs: 50 });

    expect(error.code).toBe('timeout');
    expect(error.message).not.toContain(SECRET);
    tcp.close();
  });

  test('giving up ends the attempt', async () => {
    const { cancellation, cancel } = createCancellation();
    const failing = failureOf({ url: loopback.url }, cancellation);

    cancel();

    expect((await failing).code).toBe('cancelled');
  });

  test.each(['not a url', `http://127.0.0.1/?token=${SECRET}`])('%s is no address for a WebSocket', async (url) => {
    const error = await failureOf({ url });

    expect(error.code).toBe('invalid-url');
    expect(error.message).not.toContain(SECRET);
  });
});
