import { expect, test } from 'vitest';
import { clientMessageSchema } from '@/lib/aip/messages';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { RecordingTransport } from '@/lib/aip/testing/recording-transport';
import { silentLogger } from '@/lib/std/logger';
import { type ClientProtocolOptions, createClientProtocol } from './client-protocol';

function aProtocol(frames: readonly string[] = [], options: Partial<ClientProtocolOptions> = {}) {
  const transport = new RecordingTransport(frames);
  const protocol = createClientProtocol({
    transport,
    clock: createFakeClock(),
    logger: silentLogger,
    clientId: 'dev-1',
    clientType: 'device',
    ...options,
  });
  return { transport, protocol };
}

test('an ERROR of a client has a status, so that a server can read it, and says what it is about', async () => {
  const { transport, protocol } = aProtocol();

  await protocol.sendError('the disk is full', { sessionId: 's-1', prevResponseId: 'r-1' });
  await protocol.sendError('no session', {});

  const [first, second] = transport.sent.map((text) => clientMessageSchema.parse(JSON.parse(String(text))));
  expect(first).toMatchObject({ type: 'error', status: 'error', client_type: 'device', client_id: 'dev-1' });
  expect(first).toMatchObject({ error: 'the disk is full', session_id: 's-1', prev_response_id: 'r-1' });
  expect(second).not.toHaveProperty('session_id');
});

test('it reads what servers say, keeps the rules of the validator and passes the middlewares', async () => {
  const seen: string[] = [];
  const { protocol } = aProtocol(['{"type":"command","status":"ok"}', '{"type":"heartbeat","status":"ok"}'], {
    validate: ({ type }) => (type === 'command' ? { rule: 'no-commands', reason: 'none here' } : undefined),
    middlewares: [
      {
        name: 'looker',
        incoming(message) {
          seen.push(message.type);
          return message;
        },
      },
    ],
  });

  expect(await protocol.receive()).toMatchObject({ kind: 'refused', rule: 'no-commands' });
  expect(await protocol.receive()).toMatchObject({ kind: 'message' });
  expect(seen).toEqual(['heartbeat']);
});
