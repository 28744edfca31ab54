import { afterEach, expect, test, vi } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: the other end of the socket, which no page has
import { WebSocket, WebSocketServer } from 'ws';
import type { RelaySocket } from '@/lib/client/socket-port';
import type { TicketAnswer } from './relay-http';
import { createSocketOpener } from './relay-socket';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function aRelay() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'orrery.v1' });
  await new Promise((resolve) => server.once('listening', resolve));
  cleanUps.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  return { server, address: `ws://127.0.0.1:${address.port}/ws` };
}

type Answer = () => Promise<TicketAnswer>;

/** A page's socket, and everything that it told, in order. */
function aSocket(address: string, answer: Answer = async () => ({ status: 'ok', ticket: 't' })) {
  const told: string[] = [];
  let tickets = 0;
  const open = createSocketOpener({
    address: () => address,
    fraction: () => 0,
    socketClass: WebSocket,
    async fetchTicket() {
      tickets += 1;
      const given = await answer();
      return given.status === 'ok' ? { ...given, ticket: `${given.ticket}${tickets}` } : given;
    },
  });
  const socket: RelaySocket = open({
    onOpen: (ticket) => told.push(`open ${ticket}`),
    onMessage: (text) => told.push(`message ${text}`),
    onClose: ({ code }) => told.push(`close ${code}`),
    onWaiting: () => told.push('waiting'),
    onSignedOut: () => told.push('signed out'),
  });
  cleanUps.push(() => socket.close());
  const hears = (line: string) => vi.waitFor(() => expect(told).toContain(line), { timeout: 10_000 });
  return { socket, told, hears, tickets: () => tickets };
}

test('each connection has a ticket of its own, and a cut one comes back by itself', async () => {
  const { server, address } = await aRelay();
  const { told, hears } = aSocket(address);
  await hears('open t1');
  for (const client of server.clients) client.close(4202, 'resync');
  await hears('close 4202');
  await hears('open t2');
  expect(told).toEqual(['open t1', 'close 4202', 'waiting', 'open t2']);
});

test('a ticket that cannot be had is asked for again after a wait that is told', async () => {
  const { address } = await aRelay();
  let isDown = true;
  const { told, hears } = aSocket(address, async () => {
    if (!isDown) return { status: 'ok', ticket: 't' };
    isDown = false;
    throw new Error('no route');
  });
  await hears('open t2');
  expect(told).toEqual(['waiting', 'open t2']);
});

test('who is signed out is told so', async () => {
  const { address } = await aRelay();
  const { told, hears } = aSocket(address, async () => ({ status: 'signed-out' }));
  await hears('signed out');
  expect(told[0]).toBe('signed out');
});

test('a wait can be cut short', async () => {
  const { address } = await aRelay();
  let isDown = true;
  const { socket, hears } = aSocket(address, async () => {
    if (isDown) throw new Error('no route');
    return { status: 'ok', ticket: 't' };
  });
  await hears('waiting');
  isDown = false;
  socket.reconnectNow();
  await hears('open t2');
});

test('a page that is told when to return waits that long and then returns', async () => {
  const { address } = await aRelay();
  const { socket, told, hears } = aSocket(address);
  await hears('open t1');
  socket.reconnectAfter(50);
  await hears('open t2');
  expect(told).toEqual(['open t1', 'waiting', 'open t2']);
});

test('what cannot be sent now is not kept for later', async () => {
  const { server, address } = await aRelay();
  const got: string[] = [];
  server.on('connection', (client) => client.on('message', (data) => got.push(String(data))));
  const { socket, hears } = aSocket(address);
  expect(socket.send('too early')).toBe(false);
  await hears('open t1');
  expect(socket.send('now')).toBe(true);
  await vi.waitFor(() => expect(got).toEqual(['now']));
});

test('a closed socket tells nothing more and asks for no ticket', async () => {
  const { server, address } = await aRelay();
  const { socket, told, hears, tickets } = aSocket(address);
  await hears('open t1');
  socket.close();
  socket.close();
  socket.reconnectNow();
  await vi.waitFor(() => expect(server.clients.size).toBe(0));
  expect(told).toEqual(['open t1']);
  expect(tickets()).toBe(1);
});
