import { z } from 'zod';
import { buildChunkDescription, buildFileTransferComplete, buildFileTransferStart } from '@/lib/aip/messages';
import { STOCK_SIZES } from '@/lib/aip/resilience/timer-defaults';
import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import { describeIssue } from '@/lib/std/describe-issue';
import type { JsonObject } from '@/lib/std/json';
import type { Random } from '@/lib/std/random';
import {
  type BinaryMessage,
  frameText,
  type ReceiverChecks,
  receiveBinaryMessage,
  receiveDescription,
  shown,
} from './binary-message';
import { FILE_LIMITS, type FileLimits, sizeRefusal } from './file-limits';
import type { CreateHasher, FileSource, FileStore, Hasher, PartialFile } from './file-ports';
import { FileTransferError } from './file-transfer-error';
import { readChunk } from './read-chunk';
import { toSafeFilename } from './safe-filename';

export type SendFileOptions = {
  readonly clock: Pick<Clock, 'now'>;
  readonly createHasher: CreateHasher;
  /** 1048576 by default, as stock peers have it. */
  readonly chunkBytes?: number;
  /** Whether the completion carries the MD5 of the whole; true by default. */
  readonly hasChecksum?: boolean;
  /** Whether each chunk carries its own MD5, which stock senders never do and stock receivers ignore. */
  readonly hasChunkChecksums?: boolean;
};

/**
 * Sends a file as stock peers do, on a connection that is used for nothing else meanwhile. It cannot be resumed.
 *
 * @returns how many chunks went out, and the MD5 of the whole
 * @throws ConnectionError, FileTransferError, and what the source throws
 * @see microsoft/UFO, aip/protocol/base.py
 */
export async function sendFile(
  transport: Transport,
  source: FileSource,
  options: SendFileOptions,
): Promise<{ readonly totalChunks: number; readonly checksum: string | undefined }> {
  const { clock, createHasher, chunkBytes = STOCK_SIZES.fileChunkBytes, hasChecksum = true } = options;
  const { filename, sizeBytes, mimeType } = source;
  const whole = hasChecksum ? createHasher('md5') : undefined;
  await transport.send(frameText(buildFileTransferStart({ filename, sizeBytes, chunkBytes, mimeType })));
  const totalChunks = Math.ceil(sizeBytes / chunkBytes);
  for (let chunkNumber = 0; chunkNumber < totalChunks; chunkNumber += 1) {
    const bytes = await readChunk(source, chunkNumber, chunkBytes);
    whole?.update(bytes);
    const checksum = options.hasChunkChecksums ? hashOf(createHasher('md5'), bytes) : undefined;
    const chunk = { chunkNumber, sizeBytes: bytes.length, checksum };
    await Promise.all([transport.send(frameText(buildChunkDescription(chunk, clock.now()))), transport.send(bytes)]);
  }
  const checksum = whole?.digestHex();
  await transport.send(frameText(buildFileTransferComplete({ filename, totalChunks, checksum })));
  return { totalChunks, checksum };
}

export type ReceiveFileOptions = {
  readonly store: FileStore;
  readonly createHasher: CreateHasher;
  readonly random: Pick<Random, 'hex'>;
  readonly limits?: Partial<FileLimits>;
  /** `strict` by default: also the order of the chunks and all totals must be right. */
  readonly checks?: ReceiverChecks;
  /** Whether the checksum of the whole, where there is one, must be right; true by default. */
  readonly isChecksumChecked?: boolean;
};

export type StockReceivedFile = {
  /** Where the store put it. */
  readonly place: string;
  /** Safe as a base name; the announced one is in {@link announced}. */
  readonly filename: string;
  /** What has really come. */
  readonly sizeBytes: number;
  /** As the sender gave it; absent when it gave none. */
  readonly checksum?: string;
  readonly announced: JsonObject;
};

const startSchema = z.looseObject({
  type: z.literal('file_transfer_start'),
  filename: z.string(),
  size: z.number(),
  chunk_size: z.number().optional(),
  total_chunks: z.number(),
});
type Start = z.output<typeof startSchema>;

/**
 * Receives a file of a stock peer. After a failure of any kind nothing of it is left.
 *
 * @throws FileTransferError, FrameError, ConnectionError, and what the store throws
 */
export async function receiveFile(transport: Transport, options: ReceiveFileOptions): Promise<StockReceivedFile> {
  const announced = await receiveDescription(transport);
  const start = readStart(announced);
  const limits = { ...FILE_LIMITS, ...options.limits };
  const refusal = options.checks === 'stock' ? boundRefusal(start, limits) : strictRefusal(start, limits);
  if (refusal !== undefined) throw new FileTransferError('refused', refusal);
  const filename = toSafeFilename(start.filename);
  const partial = await options.store.open({ key: options.random.hex(32), filename, sizeBytes: start.size });
  try {
    const { sizeBytes, whole } = await receiveChunks(transport, { partial, start, limits, options });
    const checksum = await receiveEnd(transport, { start, whole, options });
    const place = await partial.commit();
    return { place, filename, sizeBytes, announced, ...(checksum !== undefined && { checksum }) };
  } catch (cause) {
    await partial.discard();
    throw cause;
  }
}

function readStart(announced: JsonObject): Start {
  const parsed = startSchema.safeParse(announced);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const detail = issue ? `${issue.path.join('.')}: ${describeIssue(issue, announced)}` : 'another shape';
  throw new FileTransferError('unexpected-frame', `Expected file_transfer_start, got ${detail}`);
}

function strictRefusal({ size, chunk_size: chunkSize = 0, total_chunks: totalChunks }: Start, limits: FileLimits) {
  return sizeRefusal({ size, chunkSize, totalChunks }, limits);
}

/** Nothing but what would take more room than there is. */
function boundRefusal({ size, total_chunks: totalChunks }: Start, limits: FileLimits): string | undefined {
  if (!Number.isSafeInteger(totalChunks) || totalChunks > limits.chunksMax) {
    return `Expected total_chunks to be a number up to ${limits.chunksMax}, got ${totalChunks}`;
  }
  return size > limits.fileBytesMax
    ? `Expected a file of at most ${limits.fileBytesMax} bytes, got ${size}`
    : undefined;
}

type Receiving = {
  readonly partial: PartialFile;
  readonly start: Start;
  readonly limits: FileLimits;
  readonly options: ReceiveFileOptions;
};

async function receiveChunks(transport: Transport, { partial, start, limits, options }: Receiving) {
  const { checks = 'strict', createHasher } = options;
  const whole = createHasher('md5');
  let sizeBytes = 0;
  for (let expected = 0; expected < start.total_chunks; expected += 1) {
    const message = await receiveBinaryMessage(transport, { checks, bytesMax: limits.chunkBytesMax });
    if (checks === 'strict') checkPlace(message, { expected, start });
    checkChunk(message, createHasher);
    sizeBytes += message.bytes.length;
    if (sizeBytes > limits.fileBytesMax) {
      throw new FileTransferError('refused', `Expected at most ${limits.fileBytesMax} bytes in all, got more`);
    }
    await partial.append(message.bytes);
    whole.update(message.bytes);
  }
  return { sizeBytes, whole };
}

/** Exactly the chunk that is due. Its length also holds the total: every chunk but the last one is full. */
function checkPlace({ bytes, metadata }: BinaryMessage, { expected, start }: { expected: number; start: Start }): void {
  const { chunk_num: number, chunk_size: size } = metadata;
  if (number !== expected) {
    throw new FileTransferError('unexpected-frame', `Expected chunk ${expected}, got ${shown(number)}`);
  }
  const chunkBytes = start.chunk_size ?? 0;
  const due = Math.min(chunkBytes, start.size - expected * chunkBytes);
  if (bytes.length === due && (size === undefined || size === due)) return;
  throw new FileTransferError('size-mismatch', `Expected chunk ${expected} to have ${due} bytes, got ${bytes.length}`);
}

function checkChunk({ bytes, metadata }: BinaryMessage, createHasher: CreateHasher): void {
  const { checksum } = metadata;
  if (checksum === undefined || checksum === null) return;
  const actual = hashOf(createHasher('md5'), bytes);
  if (checksum !== actual) throw checksumMismatch(checksum, actual);
}

type Ending = { readonly start: Start; readonly whole: Hasher; readonly options: ReceiveFileOptions };

/** A `checksum` that is there must be right, also when it is `null`, as stock receivers have it. */
async function receiveEnd(transport: Transport, { start, whole, options }: Ending): Promise<string | undefined> {
  const end = await receiveDescription(transport);
  if (end.type !== 'file_transfer_complete') {
    throw new FileTransferError('unexpected-frame', `Expected file_transfer_complete, got ${shown(end.type)}`);
  }
  if (options.checks !== 'stock' && end.total_chunks !== start.total_chunks) {
    const got = shown(end.total_chunks);
    throw new FileTransferError('size-mismatch', `Expected ${start.total_chunks} chunks at the end, got ${got}`);
  }
  const actual = whole.digestHex();
  const { checksum } = end;
  if ((options.isChecksumChecked ?? true) && checksum !== undefined && checksum !== actual) {
    throw checksumMismatch(checksum, actual);
  }
  return typeof checksum === 'string' ? checksum : undefined;
}

function checksumMismatch(expected: unknown, actual: string): FileTransferError {
  return new FileTransferError('checksum-mismatch', `Expected the checksum ${shown(expected)}, got ${actual}`);
}

function hashOf(hasher: Hasher, bytes: Uint8Array): string {
  hasher.update(bytes);
  return hasher.digestHex();
}
