import { expect, test } from 'vitest';
import { type ClientMessage, parseClientMessage, type ServerMessage } from '@/lib/aip/messages';
import { createAipProtocol } from '@/lib/aip/protocol/aip-protocol';
import { createTimeoutManager } from '@/lib/aip/resilience/timeout-manager';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { Transport } from '@/lib/aip/transport/transport';
import { silentLogger } from '@/lib/std/logger';
import { limitTimes } from './timed-protocol';

const BEAT: ServerMessage = { type: 'heartbeat', status: 'ok' };

/** A connection to a peer that takes bytes only when the test says so. */
function aSlowPeer() {
  const clock = createFakeClock();
  const [near, far] = createMemoryPair();
  const waiting: (() => void)[] = [];
  let bufferedBytes = 0;
  const transport: Transport = {
    ...near,
    get state() {
      return near.state;
    },
    get bufferedBytes() {
      return bufferedBytes;
    },
    send(frame) {
      bufferedBytes += frame.length;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  const protocol = createAipProtocol<ServerMessage, ClientMessage>({
    transport,
    parse: parseClientMessage,
    logger: silentLogger,
  });
  limitTimes(protocol, { timeouts: createTimeoutManager({ clock }), logger: silentLogger });
  return {
    clock,
    far,
    protocol,
    take(bytes: number) {
      bufferedBytes -= bytes;
    },
    takeOne: () => waiting.shift()?.(),
  };
}

test('a peer that takes nothing for two minutes is cut off, and the send says so', async () => {
  const { clock, far, protocol } = aSlowPeer();
  const sending = protocol.send(BEAT);

  await clock.advance(119_999);
  expect(far.state).toBe('connected');
  await clock.advance(1);

  expect(await sending).toMatchObject({ ok: false, error: { code: 'timeout' } });
  expect(far.state).toBe('disconnected');
});

test('a message that leaves slowly takes as long as it needs', async () => {
  const { clock, far, protocol, take, takeOne } = aSlowPeer();
  const sending = protocol.send(BEAT);
  for (let minute = 0; minute < 10; minute += 1) {
    await clock.advance(60_000);
    take(1);
  }
  takeOne();

  expect(await sending).toEqual({ ok: true, value: null });
  expect(far.state).toBe('connected');
});

test('a message that waits behind others is not late while those leave', async () => {
  const { clock, far, protocol, takeOne } = aSlowPeer();
  const sends = Array.from({ length: 5 }, () => protocol.send(BEAT));
  for (const _send of sends) {
    await clock.advance(100_000);
    takeOne();
    await settle();
  }

  expect((await Promise.all(sends)).every(({ ok }) => ok)).toBe(true);
  expect(far.state).toBe('connected');
});

test('frames of custom types and bytes are limited, too', async () => {
  for (const sendOn of [
    ({ protocol }: ReturnType<typeof aSlowPeer>) => protocol.sendCustom({ type: 'x' }),
    ({ protocol }: ReturnType<typeof aSlowPeer>) => protocol.sendBinary({ type: 'x' }, new Uint8Array(8)),
  ]) {
    const setup = aSlowPeer();
    const sending = sendOn(setup);
    await setup.clock.advance(120_000);
    expect(await sending).toMatchObject({ ok: false, error: { code: 'timeout' } });
  }
});

test('[AIP-56] silence is no fault: a receive waits through it and loses nothing', async () => {
  const { clock, far, protocol } = aSlowPeer();
  const receiving = protocol.receive();
  await clock.advance(600_000);
  await far.send(JSON.stringify({ type: 'heartbeat', status: 'ok' }));

  expect(await receiving).toMatchObject({ kind: 'message', message: { type: 'heartbeat' } });
  await far.close(1000, '');
  expect(await protocol.receive()).toMatchObject({ kind: 'closed', code: 1000 });
});
