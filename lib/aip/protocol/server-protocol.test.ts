import { expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { listenOn } from '@/lib/aip/testing/wire';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { silentLogger } from '@/lib/std/logger';
import { createServerProtocol, type ServerProtocolOptions } from './server-protocol';

function aProtocol(options: Partial<ServerProtocolOptions> = {}) {
  const [near, far] = createMemoryPair();
  const protocol = createServerProtocol({
    transport: near,
    clock: createFakeClock(),
    random: createFakeRandom(),
    logger: silentLogger,
    ...options,
  });
  return { protocol, wire: listenOn(far) };
}

test('a yes has a fresh response id, and the session and result that it is about', async () => {
  const { protocol, wire } = aProtocol();
  await protocol.sendAck();
  await protocol.sendAck({ sessionId: 's', result: { a: 1 } });
  await protocol.sendAck({ responseId: 'r' });
  await settle();

  const [plain, full, named] = wire.heard();
  expect(plain).toMatchObject({ type: 'heartbeat', status: 'ok', response_id: expect.stringMatching(/^0{8}-/) });
  expect(Object.keys(plain ?? {}).sort()).toEqual(['response_id', 'status', 'timestamp', 'type']);
  expect(full).toMatchObject({ type: 'heartbeat', session_id: 's', result: { a: 1 } });
  expect(full?.response_id).not.toBe(plain?.response_id);
  expect(named?.response_id).toBe('r');
});

test('an error has its text and a fresh response id, unless it is given one', async () => {
  const { protocol, wire } = aProtocol();
  await protocol.sendError('no');
  await protocol.sendError('no again', 'r');
  await settle();

  expect(wire.heard()).toMatchObject([
    { type: 'error', status: 'error', error: 'no', response_id: expect.stringMatching(/^0{8}-/) },
    { type: 'error', status: 'error', error: 'no again', response_id: 'r' },
  ]);
});

test('what breaks a rule is received as refused, and middlewares see what is sent', async () => {
  const types: string[] = [];
  const { protocol, wire } = aProtocol({
    validate: ({ type }) => (type === 'task' ? { rule: 'no-tasks', reason: 'not today' } : undefined),
    middlewares: [
      {
        name: 'watch',
        outgoing(message) {
          types.push(message.type);
          return message;
        },
      },
    ],
  });
  await wire.say({ type: 'task', status: 'continue' });
  expect(await protocol.receive()).toMatchObject({ kind: 'refused', rule: 'no-tasks', reason: 'not today' });
  await protocol.sendError('no');
  expect(types).toEqual(['error']);
});
