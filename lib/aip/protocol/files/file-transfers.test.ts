import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aFileLink, aFileReceiver } from '@/lib/aip/testing/a-file-link';
import { settle } from '@/lib/aip/testing/fake-clock';
import { countingBytes, createToyHasher, sourceOf } from '@/lib/aip/testing/memory-files';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { ConnectionError, type Transport } from '@/lib/aip/transport/transport';

/** A connection that is cut when so many frames have gone out. */
const cutAfter = (framesMax: number) => (transport: Transport) => {
  let frames = 0;
  const { send } = transport;
  return Object.assign(transport, {
    async send(data: string | Uint8Array) {
      frames += 1;
      if (frames > framesMax) {
        transport.terminate();
        throw new ConnectionError('cut');
      }
      return send(data);
    },
  });
};

function sumOf(bytes: Uint8Array): string {
  const hasher = createToyHasher('md5');
  hasher.update(bytes);
  return hasher.digestHex();
}

describe('a file', () => {
  test('arrives whole in either direction, and both sides hear of it', async () => {
    const { device, server, connect } = aFileLink();
    connect();
    const bytes = countingBytes(10_000);
    const order = { peerId: 'peer', chunkBytes: 999, sessionId: 's-1' };
    const up = await device.transfers.send(sourceOf('dir/a.txt', bytes, 'text/plain'), order);
    const down = await server.transfers.send(sourceOf('b.bin', bytes), order);

    expect(up).toMatchObject({ ok: true, value: { chunksSent: 11 } });
    expect(down).toMatchObject({ ok: true });
    expect(server.memory.files.get('a.txt')).toEqual(bytes);
    expect(device.memory.files.get('b.bin')).toEqual(bytes);
    expect(server.received).toMatchObject([
      {
        place: 'a.txt',
        filename: 'a.txt',
        sizeBytes: 10_000,
        mimeType: 'text/plain',
        sessionId: 's-1',
        peerId: 'peer',
      },
    ]);
  });

  test('may be empty', async () => {
    const { device, server, connect } = aFileLink();
    connect();
    expect(await device.transfers.send(sourceOf('empty', new Uint8Array()), { peerId: 'peer' })).toMatchObject({
      ok: true,
      value: { chunksSent: 0 },
    });
    expect(server.memory.files.get('empty')).toEqual(new Uint8Array());
  });

  test('travels beside others, and none takes the place of another of its name', async () => {
    const { device, server, connect } = aFileLink();
    connect();
    const sizes = [5_000, 3_000, 0, 1];
    const sent = sizes.map((size) =>
      device.transfers.send(sourceOf('same', countingBytes(size)), { peerId: 'peer', chunkBytes: 100 }),
    );

    expect((await Promise.all(sent)).every(({ ok }) => ok)).toBe(true);
    const arrived = [...server.memory.files.values()].map(({ length }) => length);
    expect(arrived.sort()).toEqual([...sizes].sort());
  });

  test('goes on after a cut with the first chunk that the receiver does not have', async () => {
    const { device, server, connect } = aFileLink();
    connect(cutAfter(1 + 2 * 6));
    const bytes = countingBytes(10_000);
    const sending = device.transfers.send(sourceOf('a', bytes), { peerId: 'peer', chunkBytes: 1_000 });
    await settle();
    await settle();
    expect([...server.memory.kept.values()].map(({ length }) => length)).toEqual([6_000]);
    expect(server.memory.files.size).toBe(0);

    connect();
    expect(await sending).toMatchObject({ ok: true, value: { chunksSent: 10 } });
    expect(server.memory.files.get('a')).toEqual(bytes);
    expect(server.memory.kept.size).toBe(0);
  });

  test('waits for another connection when this one can send no more, though nobody has told of its end', async () => {
    const { device, server, connect } = aFileLink();
    let failedSends = 0;
    const { near } = connect((transport) =>
      Object.assign(transport, {
        async send() {
          failedSends += 1;
          // Without the wait there would be no end to it.
          if (failedSends === 20) transport.terminate();
          throw new ConnectionError('broken');
        },
      }),
    );
    const bytes = countingBytes(100);
    const sending = device.transfers.send(sourceOf('a', bytes), { peerId: 'peer' });
    await settle();
    expect(failedSends).toBe(1);

    near.terminate();
    connect();
    expect(await sending).toMatchObject({ ok: true });
    expect(server.memory.files.get('a')).toEqual(bytes);
  });

  test('whose end was not heard of because of a cut is not stored twice', async () => {
    const { device, server, connect } = aFileLink();
    const bytes = countingBytes(3_000);
    const { far } = connect();
    const { send } = far;
    Object.assign(far, {
      async send(data: string | Uint8Array) {
        if (!String(data).includes('"completed"')) return send(data);
        far.terminate();
        throw new ConnectionError('cut');
      },
    });
    const sending = device.transfers.send(sourceOf('a', bytes), { peerId: 'peer', chunkBytes: 1_000 });
    await settle();
    await settle();
    connect();

    expect(await sending).toMatchObject({ ok: true, value: { chunksSent: 3 } });
    expect([...server.memory.files.keys()]).toEqual(['a']);
    expect(server.received).toHaveLength(1);
  });

  test('can be gone on with by hand under its id, after the wait for its peer has ended', async () => {
    const { device, server, connect } = aFileLink({ device: { timing: { reconnectMs: 5_000 } } });
    connect(cutAfter(1 + 2 * 4));
    const bytes = countingBytes(10_000);
    const order = { peerId: 'peer', chunkBytes: 1_000, transferId: 'mine' };
    const sending = device.transfers.send(sourceOf('a', bytes), order);
    await settle();
    await settle();
    await device.clock.advance(5_000);
    expect(await sending).toMatchObject({ ok: false, error: { code: 'closed', transferId: 'mine' } });

    connect();
    expect(await device.transfers.send(sourceOf('a', bytes), order)).toMatchObject({ value: { chunksSent: 6 } });
    expect(server.memory.files.get('a')).toEqual(bytes);
  });

  test('of any size, in chunks of any size, cut anywhere, is the same file in the end', async () => {
    const sizes = { size: fc.nat(400), chunkBytes: fc.integer({ min: 1, max: 120 }) };
    await fc.assert(
      fc.asyncProperty(fc.record({ ...sizes, cuts: fc.array(fc.nat(30), { maxLength: 4 }) }), async (plan) => {
        const { device, server, connect } = aFileLink();
        const bytes = countingBytes(plan.size);
        connect(cutAfter(plan.cuts[0] ?? 1_000));
        const sending = device.transfers.send(sourceOf('a', bytes), { peerId: 'peer', chunkBytes: plan.chunkBytes });
        for (const cut of [...plan.cuts.slice(1), 10_000]) {
          await settle();
          await settle();
          connect(cutAfter(cut));
        }
        expect(await sending).toMatchObject({ ok: true });
        expect([...server.memory.files]).toEqual([['a', bytes]]);
        expect(server.memory.kept.size).toBe(0);
      }),
      { seed: 20_260_104, numRuns: 150 },
    );
  });
});

describe('a file is not sent', () => {
  test('to a peer that did not agree, which sees no frame', async () => {
    const { device } = aFileLink();
    expect(await device.transfers.send(sourceOf('a', countingBytes(3)), { peerId: 'stock' })).toMatchObject({
      ok: false,
      error: { code: 'not-connected' },
    });
  });

  test('when the receiver has no place for files, too many under way, or finds it too large: nothing is stored', async () => {
    const source = sourceOf('a', countingBytes(2_000));
    const order = { peerId: 'peer', chunkBytes: 10 };
    const cases = [
      [{ limits: { fileBytesMax: 1_999 } }, 'at most 1999 bytes'],
      [{ limits: { chunkBytesMax: 9 } }, 'chunk_size'],
      [{ limits: { chunksMax: 199 } }, 'at most 199 chunks'],
      [{ limits: { openTransfersMax: 0 } }, 'at most 0 transfers'],
    ] as const;
    for (const [server, reason] of cases) {
      const link = aFileLink({ server });
      link.connect();
      const outcome = await link.device.transfers.send(source, order);
      expect(outcome).toMatchObject({
        ok: false,
        error: { code: 'refused', message: expect.stringContaining(reason) },
      });
      expect(link.server.memory.opened).toBe(0);
    }
  });

  test('under an id that is under way', async () => {
    const { device, connect } = aFileLink();
    connect();
    const order = { peerId: 'peer', transferId: 't' };
    const first = device.transfers.send(sourceOf('a', countingBytes(3)), order);
    expect(await device.transfers.send(sourceOf('a', countingBytes(3)), order)).toMatchObject({
      error: { code: 'under-way' },
    });
    expect(await first).toMatchObject({ ok: true });
  });

  test('to its end when it is cancelled, changes meanwhile or cannot be read, and the receiver keeps nothing', async () => {
    for (const [what, code] of [
      ['cancel', 'cancelled'],
      ['shrink', 'source'],
      ['break', 'source'],
    ] as const) {
      const { device, server, connect } = aFileLink();
      connect();
      const { cancellation, cancel } = createCancellation();
      const whole = sourceOf('a', countingBytes(5_000));
      const source = {
        ...whole,
        async read(offset: number, lengthBytes: number) {
          if (offset < 2_000) return whole.read(offset, lengthBytes);
          if (what === 'break') throw new Error('EIO');
          if (what === 'cancel') cancel();
          return whole.read(offset, what === 'shrink' ? 1 : lengthBytes);
        },
      };
      const outcome = await device.transfers.send(source, { peerId: 'peer', chunkBytes: 1_000, cancellation });
      await settle();
      expect(outcome).toMatchObject({ ok: false, error: { code } });
      expect([server.memory.files.size, server.memory.kept.size]).toEqual([0, 0]);
    }
  });

  test('for ever to a receiver that says nothing', async () => {
    const { device, connect } = aFileLink({ server: { store: { open: () => new Promise(() => {}) } } });
    connect();
    const sending = device.transfers.send(sourceOf('a', countingBytes(3)), { peerId: 'peer' });
    await settle();
    await device.clock.advance(120_000);
    expect(await sending).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });
});

describe('a receiver', () => {
  const bytes = countingBytes(6);
  const START = {
    type: 'file_transfer_start',
    filename: 'a',
    size: 6,
    chunk_size: 3,
    total_chunks: 2,
    transfer_id: 't',
  };
  const chunk = (number: number, more = {}) => ({
    type: 'binary_data',
    chunk_num: number,
    chunk_size: 3,
    size: 3,
    transfer_id: 't',
    ...more,
  });
  const END = {
    type: 'file_transfer_complete',
    filename: 'a',
    total_chunks: 2,
    checksum: sumOf(bytes),
    transfer_id: 't',
  };
  const part = (number: number) => bytes.slice(number * 3, number * 3 + 3);

  test('[AIP-118] takes exactly what was announced', async () => {
    const receiver = aFileReceiver();
    await receiver.say(START);
    await settle();
    expect(receiver.heard).toMatchObject([
      { type: 'file_transfer_next', chunk_num: 0, chunk_size: 3, transfer_id: 't' },
    ]);
    for (const number of [0, 1]) {
      await receiver.say(chunk(number));
      await receiver.transport.send(part(number));
    }
    await receiver.say(END);
    await settle();
    expect(receiver.heard.at(-1)).toMatchObject({ type: 'file_transfer_complete', status: 'completed' });
    expect(receiver.memory.files.get('a')).toEqual(bytes);
  });

  test.each([
    ['a chunk out of order', [chunk(1), part(1)], /Expected chunk 0 of 2, got 1/],
    ['a chunk twice', [chunk(0), part(0), chunk(0), part(0)], /Expected chunk 1 of 2, got 0/],
    ['a chunk that announces another size', [chunk(0, { size: 4 }), countingBytes(4)], /to have 3 bytes/],
    ['a chunk of another size than announced', [chunk(0), countingBytes(2)], /Expected 3 bytes, got 2/],
    ['a chunk with a wrong checksum', [chunk(0, { checksum: 'ffffffff' }), part(0)], /checksum of chunk 0/],
    ['a chunk without its bytes', [chunk(0), chunk(0), part(0)], /did not follow/],
    ['one chunk too many', [chunk(0), part(0), chunk(1), part(1), chunk(2), part(0)], /Expected chunk 2 of 2/],
    ['an end that is early', [chunk(0), part(0), END], /Expected 2 chunks, got 1/],
    ['an end with another total', [chunk(0), part(0), chunk(1), part(1), { ...END, total_chunks: 3 }], /word of 3/],
    ['a wrong checksum', [chunk(0), part(0), chunk(1), part(1), { ...END, checksum: 'ffffffff' }], /md5 .* wrong/],
    ['a wrong SHA-256', [chunk(0), part(0), chunk(1), part(1), { ...END, sha256: 'f' }], /sha256 .* wrong/],
    ['no checksum at all', [chunk(0), part(0), chunk(1), part(1), { ...END, checksum: null }], /got none/],
  ])('[AIP-115][AIP-117] refuses %s once, with the reason, and leaves nothing', async (_, frames, reason) => {
    const receiver = aFileReceiver();
    await receiver.say(START);
    await settle();
    for (const frame of frames) {
      if (frame instanceof Uint8Array) await receiver.transport.send(frame);
      else await receiver.say(frame);
    }
    await settle();
    await receiver.say(chunk(0));
    await receiver.transport.send(part(0));
    await settle();

    const ends = receiver.heard.filter(({ type }) => type === 'file_transfer_complete');
    expect(ends).toMatchObject([{ status: 'failed', transfer_id: 't', error: expect.stringMatching(reason) }]);
    expect([receiver.memory.files.size, receiver.memory.kept.size]).toEqual([0, 0]);

    await receiver.say(START);
    await settle();
    expect(receiver.heard.at(-1)).toMatchObject({ type: 'file_transfer_next', chunk_num: 0 });
  });

  test.each([
    ['a negative size', { size: -1 }],
    ['a huge size', { size: 1e300 }],
    ['half a byte', { size: 0.5 }],
    ['chunks of nothing', { chunk_size: 0, total_chunks: 0 }],
    ['another number of chunks', { total_chunks: 3 }],
  ])('[AIP-118] refuses %s before anything is opened', async (_, more) => {
    const receiver = aFileReceiver();
    await receiver.say({ ...START, ...more });
    await settle();
    expect(receiver.heard).toMatchObject([{ type: 'file_transfer_complete', status: 'failed' }]);
    expect(receiver.memory.opened).toBe(0);
  });

  test('[AIP-118] opens only so many at a time, answers what it does not know once, and forgets what is over', async () => {
    const receiver = aFileReceiver({ limits: { openTransfersMax: 3 } });
    for (let index = 0; index < 1_000; index += 1) await receiver.say({ ...START, transfer_id: `t-${index}` });
    await settle();
    expect(receiver.heard.filter(({ type }) => type === 'file_transfer_next')).toHaveLength(3);
    expect(receiver.memory.opened).toBe(3);
    for (let index = 0; index < 5; index += 1) {
      await receiver.say(chunk(0, { transfer_id: 'unknown' }));
      await receiver.transport.send(part(0));
    }
    await settle();
    expect(receiver.heard.filter(({ transfer_id: id }) => id === 'unknown')).toHaveLength(1);
  });

  test('whose disk is full says so in general words, and takes the next file', async () => {
    let isFull = true;
    const { memory } = aFileReceiver();
    const receiver = aFileReceiver({
      store: {
        async open(file) {
          if (isFull) throw new Error('/srv/files: ENOSPC');
          return memory.store.open(file);
        },
      },
    });
    await receiver.say(START);
    await settle();
    expect(receiver.heard).toMatchObject([{ status: 'failed', error: expect.stringContaining('try again later') }]);
    expect(JSON.stringify(receiver.heard)).not.toContain('/srv');
    isFull = false;
    await receiver.say({ ...START, transfer_id: 'u' });
    await settle();
    expect(receiver.heard.at(-1)).toMatchObject({ type: 'file_transfer_next', transfer_id: 'u' });
  });

  test('lets bytes that nobody announced through to whoever else reads the connection', async () => {
    const { server, connect } = aFileLink();
    const { near } = connect();
    await near.send(countingBytes(3));
    await settle();
    expect(server.memory.opened).toBe(0);
    expect(near.state).toBe('connected');
  });
});
