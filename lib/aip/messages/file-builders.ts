import type { JsonObject } from '@/lib/std/json';
import { toTimestamp } from './timestamp';

/**
 * The text frames of binary transfer. They are no messages: only members that mean something are there, none is `null` for
 * want of a value. Without a `transferId` they are those of a stock peer, with one they belong to the extension `file`.
 */
type Transfer = { readonly transferId?: string | undefined };

function extensionMembers({ transferId }: Transfer): JsonObject {
  return transferId === undefined ? {} : { extension: 'file', transfer_id: transferId };
}

export type BinaryDescription = {
  readonly sizeBytes: number;
  /** What else is to be said; `type`, `size` and `timestamp` are set here. */
  readonly metadata?: JsonObject;
};

/** Stands directly before the binary frame that it describes. */
export function buildBinaryDescription({ sizeBytes, metadata }: BinaryDescription, atMs: number): JsonObject {
  return { ...metadata, type: 'binary_data', size: sizeBytes, timestamp: toTimestamp(atMs) };
}

export type FileAnnouncement = Transfer & {
  /** A base name, never a path. */
  readonly filename: string;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
  /** Written as `null` when it is not known, as stock peers do. */
  readonly mimeType?: string | undefined;
  readonly sessionId?: string | undefined;
};

export function buildFileTransferStart(file: FileAnnouncement): JsonObject {
  return {
    type: 'file_transfer_start',
    filename: file.filename,
    size: file.sizeBytes,
    chunk_size: file.chunkBytes,
    total_chunks: Math.ceil(file.sizeBytes / file.chunkBytes),
    mime_type: file.mimeType ?? null,
    ...(file.sessionId !== undefined && { session_id: file.sessionId }),
    ...extensionMembers(file),
  };
}

export type ChunkRequest = {
  readonly transferId: string;
  /** From 0: the first chunk that the receiver does not hold yet. */
  readonly chunkNumber: number;
  readonly chunkBytes: number;
};

/** Says where a transfer begins or goes on (extension `file`). */
export function buildFileTransferNext({ transferId, chunkNumber, chunkBytes }: ChunkRequest): JsonObject {
  return {
    type: 'file_transfer_next',
    chunk_num: chunkNumber,
    chunk_size: chunkBytes,
    ...extensionMembers({ transferId }),
  };
}

export type Chunk = Transfer & {
  /** From 0. */
  readonly chunkNumber: number;
  readonly sizeBytes: number;
  /** MD5 in lower-case hexadecimal. */
  readonly checksum?: string | undefined;
};

export function buildChunkDescription(chunk: Chunk, atMs: number): JsonObject {
  const { chunkNumber, sizeBytes, checksum } = chunk;
  const metadata = {
    chunk_num: chunkNumber,
    chunk_size: sizeBytes,
    ...(checksum !== undefined && { checksum }),
    ...extensionMembers(chunk),
  };
  return buildBinaryDescription({ sizeBytes, metadata }, atMs);
}

export type FileCompletion = Transfer & {
  readonly filename: string;
  readonly totalChunks: number;
  /** MD5 of the whole in lower-case hexadecimal. A stock receiver takes a `null` for a mismatch, so it is left out instead. */
  readonly checksum?: string | undefined;
  readonly sha256?: string | undefined;
  /** Set by a receiver: what came of it (extension `file`). */
  readonly status?: 'completed' | 'failed' | undefined;
  readonly error?: string | undefined;
};

export function buildFileTransferComplete(completion: FileCompletion): JsonObject {
  const { filename, totalChunks, checksum, sha256, status, error } = completion;
  return {
    type: 'file_transfer_complete',
    filename,
    total_chunks: totalChunks,
    ...(checksum !== undefined && { checksum }),
    ...(sha256 !== undefined && { sha256 }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...extensionMembers(completion),
  };
}
