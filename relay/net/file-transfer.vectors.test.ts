import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ReceiverChecks, receiveBinaryMessage, sendBinaryMessage } from '@/lib/aip/protocol/files/binary-message';
import { receiveFile, sendFile } from '@/lib/aip/protocol/files/stock-file-transfer';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { aMemoryStore, countingBytes, sourceOf } from '@/lib/aip/testing/memory-files';
import { RecordingTransport } from '@/lib/aip/testing/recording-transport';
import { type VectorCase, vectorCases } from '@/lib/aip/testing/vectors';
import type { FrameData } from '@/lib/aip/transport/transport';
import { createNodeHasher } from './node-hash';

type Json = Record<string, never>;
type FrameCase = { readonly kind: 'text' | 'binary'; readonly text?: string; readonly hex?: string };

/** Accepted by the reference, refused by ours unless it is asked to be as careless. */
const OURS_IS_STRICTER: Record<string, string> = {
  'receive_binary_message:wrong-type-only-warns': 'another type',
  'receive_file:chunks-out-of-order-written-as-received': 'chunks out of order',
  'receive_file:duplicate-chunk_num-accepted': 'a chunk twice',
  'receive_file:chunk_size-lies-accepted': 'chunks of another size than announced',
  'receive_file:total-size-lies-accepted': 'another total size than announced',
  'receive_file:completion-total_chunks-lies-accepted': 'another total of chunks than announced',
};

const cases = await vectorCases('binary_transfer');
const casesOf = (operation: string) =>
  cases.filter(({ name }) => name.startsWith(`${operation}:`)).map((each) => [each.name, each] as const);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
const inputOf = ({ input }: VectorCase) => input as unknown as Json;
const outputOf = ({ output }: VectorCase) => output as unknown as Json;

function framesOf(vector: VectorCase): readonly FrameData[] {
  const frames: readonly FrameCase[] = inputOf(vector).frames ?? [];
  return frames.map(({ kind, text = '', hex: bytes = '' }) => (kind === 'text' ? text : Buffer.from(bytes, 'hex')));
}

/** The frames as the vectors write them, with the moment masked. */
function recorded(transport: RecordingTransport) {
  return transport.sent.map((frame) => {
    if (typeof frame !== 'string') return { kind: 'binary', length: frame.length, md5: md5(frame) };
    const json = JSON.parse(frame);
    if (typeof json.timestamp === 'string') json.timestamp = '<iso8601-utc>';
    return { kind: 'text', json, text_keys: Object.keys(json) };
  });
}

function expectedFrames(vector: VectorCase) {
  const frames: readonly (FrameCase & Json)[] = outputOf(vector).frames ?? [];
  return frames.map(({ hex: _, ...frame }) => frame);
}

test.each(casesOf('send_binary_message'))('[AIP-114] %s', async (_, vector) => {
  const { payload_hex: payload, metadata } = inputOf(vector);
  const transport = new RecordingTransport([]);
  await sendBinaryMessage(
    transport,
    { bytes: Buffer.from(payload ?? '', 'hex'), metadata: metadata ?? {} },
    createFakeClock(),
  );

  expect(recorded(transport)).toEqual(expectedFrames(vector));
});

test.each(casesOf('send_file'))('[AIP-114][AIP-116] %s', async (_, vector) => {
  const { size, filename, chunk_size: chunkBytes, compute_checksum: hasChecksum } = inputOf(vector);
  const [start] = outputOf(vector).frames ?? [];
  const mimeType = (start as unknown as { json: Json }).json.mime_type ?? undefined;
  const transport = new RecordingTransport([]);
  const sent = await sendFile(transport, sourceOf(String(filename), countingBytes(Number(size)), mimeType), {
    clock: createFakeClock(),
    createHasher: createNodeHasher,
    ...(chunkBytes !== undefined && { chunkBytes }),
    ...(hasChecksum !== undefined && { hasChecksum }),
  });

  expect(recorded(transport)).toEqual(expectedFrames(vector));
  if (hasChecksum !== false) expect(sent.checksum).toBe(outputOf(vector).file_md5);
});

async function receiveBytes(vector: VectorCase, checks: ReceiverChecks) {
  const isSizeChecked = inputOf(vector).validate_size ?? true;
  return receiveBinaryMessage(new RecordingTransport(framesOf(vector)), { checks, isSizeChecked });
}

async function receiveWhole(vector: VectorCase, checks: ReceiverChecks) {
  const memory = aMemoryStore();
  const received = receiveFile(new RecordingTransport(framesOf(vector)), {
    store: memory.store,
    createHasher: createNodeHasher,
    random: createFakeRandom(),
    checks,
    isChecksumChecked: inputOf(vector).validate_checksum ?? true,
  });
  return { memory, received };
}

const accepted = (operation: string) => casesOf(operation).filter(([, { accept }]) => accept);
const refused = (operation: string) => casesOf(operation).filter(([, { accept }]) => !accept);
const strictly = (operation: string) => accepted(operation).filter(([name]) => OURS_IS_STRICTER[name] === undefined);
const carelessly = (operation: string) =>
  accepted(operation).flatMap(([name, vector]) => {
    const what = OURS_IS_STRICTER[name];
    return what === undefined ? [] : [[name, what, vector] as const];
  });

test.each(strictly('receive_binary_message'))('[AIP-115] %s', async (_, vector) => {
  const { bytes, metadata } = await receiveBytes(vector, 'strict');
  expect({ payload_hex: hex(bytes), metadata }).toEqual(vector.output);
});

test.each(carelessly('receive_binary_message'))(
  '[AIP-115] %s (ours refuses %s unless it is told to be as the reference)',
  async (_, _what, vector) => {
    await expect(receiveBytes(vector, 'strict')).rejects.toThrow(/Expected/);
    const { bytes, metadata } = await receiveBytes(vector, 'stock');
    expect({ payload_hex: hex(bytes), metadata }).toEqual(vector.output);
  },
);

test.each(refused('receive_binary_message'))('[AIP-115] %s', async (_, vector) => {
  await expect(receiveBytes(vector, 'strict')).rejects.toThrow();
  await expect(receiveBytes(vector, 'stock')).rejects.toThrow();
});

async function expectWhole(vector: VectorCase, checks: ReceiverChecks) {
  const { memory, received } = await receiveWhole(vector, checks);
  const { place, checksum = null, announced } = await received;
  const { returned, hex: bytes, length } = outputOf(vector);
  const stored = memory.files.get(place) ?? new Uint8Array();
  expect({ bytes: hex(stored), length: stored.length }).toEqual({ bytes, length });
  expect({ filename: announced.filename, size: announced.size, checksum }).toEqual(returned);
}

test.each(strictly('receive_file'))('[AIP-115] %s', async (_, vector) => {
  await expectWhole(vector, 'strict');
});

test.each(carelessly('receive_file'))(
  '[AIP-115][AIP-117] %s (ours refuses %s unless it is told to be as the reference)',
  async (_, _what, vector) => {
    const { memory, received } = await receiveWhole(vector, 'strict');
    await expect(received).rejects.toThrow(/Expected/);
    expect([memory.files.size, memory.kept.size]).toEqual([0, 0]);
    await expectWhole(vector, 'stock');
  },
);

test.each(refused('receive_file'))('[AIP-115][AIP-117] %s, and nothing is left of it', async (_, vector) => {
  for (const checks of ['strict', 'stock'] as const) {
    const { memory, received } = await receiveWhole(vector, checks);
    await expect(received).rejects.toThrow();
    expect([memory.files.size, memory.kept.size]).toEqual([0, 0]);
  }
});

test('every stricter check is one of a recorded case, and every case is one of the four operations', () => {
  const names = new Set(cases.map(({ name }) => name));
  expect(Object.keys(OURS_IS_STRICTER).filter((name) => !names.has(name))).toEqual([]);
  const operations = ['send_binary_message', 'send_file', 'receive_binary_message', 'receive_file'];
  expect(operations.flatMap((operation) => casesOf(operation)).length).toBe(cases.length);
});
