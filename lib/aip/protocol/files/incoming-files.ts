import { buildFileTransferComplete, buildFileTransferNext } from '@/lib/aip/messages';
import type { Logger } from '@/lib/std/logger';
import { encodeUtf8 } from '@/lib/std/utf8';
import type { ChunkFrame, CompleteFrame, StartFrame } from './file-frames';
import { type FileLimits, sizeRefusal } from './file-limits';
import type { CreateHasher, FileStore, Hasher, PartialFile } from './file-ports';
import type { FileProtocol, ReceivedFile } from './file-transfer-types';
import type { FinishedFiles } from './finished-files';
import { toSafeFilename } from './safe-filename';

export type IncomingOptions = {
  readonly logger: Logger;
  readonly createHasher: CreateHasher;
  readonly limits: FileLimits;
  readonly store: FileStore | undefined;
  readonly finished: FinishedFiles;
  readonly protocol: FileProtocol;
  readonly peerId: string;
  readonly onReceived: (file: ReceivedFile) => void;
};

/** The files that come over one connection. Nothing here rejects: the sender is told, or the log. */
export type IncomingFiles = {
  start(frame: StartFrame): void;
  /** The bytes that it describes come next. */
  chunk(frame: ChunkFrame): Promise<void>;
  /** Says whether they were due. */
  bytes(bytes: Uint8Array): Promise<boolean>;
  complete(frame: CompleteFrame): Promise<void>;
  /** What has come so far is kept for the next connection. */
  close(): void;
};

type Incoming = {
  readonly start: StartFrame;
  readonly key: string;
  readonly filename: string;
  phase: 'opening' | 'receiving' | 'closing';
  partial: PartialFile | undefined;
  nextChunk: number;
  readonly whole: { readonly md5: Hasher; readonly sha256: Hasher };
};

/** `undefined`: of a transfer that was given up; the bytes are on their way all the same, and are dropped. */
type Due = { readonly incoming: Incoming | undefined; readonly frame: ChunkFrame };

/** So many ids of given-up transfers are known, whose frames may still be on their way and are answered no more. */
const GIVEN_UP_MAX = 256;

export function createIncomingFiles(options: IncomingOptions): IncomingFiles {
  const { logger, createHasher, limits, store, finished, protocol, peerId } = options;
  const open = new Map<string, Incoming>();
  const givenUp = new Set<string>();
  let due: Due | undefined;
  let isClosed = false;

  async function tellEnd(
    transferId: string,
    end: { readonly incoming: Incoming | undefined; readonly error?: string },
  ): Promise<void> {
    const { incoming, error } = end;
    const status = error === undefined ? 'completed' : 'failed';
    const { filename = '' } = incoming?.start ?? {};
    const totalChunks = incoming?.nextChunk ?? 0;
    await protocol.sendCustom(buildFileTransferComplete({ filename, totalChunks, transferId, status, error }));
  }

  /** Once for each transfer: what else comes of it is dropped in silence. */
  async function giveUp(transferId: string, error: string): Promise<void> {
    const incoming = open.get(transferId);
    open.delete(transferId);
    if (due && due.incoming === incoming) due = { ...due, incoming: undefined };
    givenUp.add(transferId);
    for (const oldest of givenUp) {
      if (givenUp.size <= GIVEN_UP_MAX) break;
      givenUp.delete(oldest);
    }
    logger.warn('file-refused', { peerId, transferId, reason: error });
    await tellEnd(transferId, { incoming, error });
    await discard(incoming);
  }

  async function discard(incoming: Incoming | undefined): Promise<void> {
    try {
      await incoming?.partial?.discard();
    } catch (cause) {
      logger.error('file-not-discarded', { peerId, message: String(cause) });
    }
  }

  function refusalOf({ size, chunk_size: chunkSize, total_chunks: totalChunks }: StartFrame): string | undefined {
    if (!store) return 'This side takes no files';
    if (open.size >= limits.openTransfersMax) {
      return `Expected at most ${limits.openTransfersMax} transfers at a time; wait until one of them has ended`;
    }
    return sizeRefusal({ size, chunkSize, totalChunks }, limits);
  }

  async function begin(start: StartFrame): Promise<void> {
    const { transfer_id: transferId } = start;
    if (open.has(transferId)) {
      logger.warn('file-started-twice', { peerId, transferId });
      return;
    }
    givenUp.delete(transferId);
    const refusal = refusalOf(start);
    if (refusal !== undefined || !store) return giveUp(transferId, refusal ?? 'This side takes no files');
    const incoming = newIncoming(start);
    open.set(transferId, incoming);
    try {
      if (finished.has(incoming.key)) incoming.nextChunk = start.total_chunks;
      else await openPartial(incoming, store);
    } catch (cause) {
      logger.error('file-not-opened', { peerId, transferId, message: String(cause) });
      return giveUp(transferId, 'The file cannot be stored here now; try again later');
    }
    if (isClosed) return keep(incoming);
    // Given up meanwhile, by either side.
    if (open.get(transferId) !== incoming) return discard(incoming);
    incoming.phase = 'receiving';
    const { nextChunk: chunkNumber } = incoming;
    await protocol.sendCustom(buildFileTransferNext({ transferId, chunkNumber, chunkBytes: start.chunk_size }));
  }

  function newIncoming(start: StartFrame): Incoming {
    const { transfer_id, filename, size, chunk_size } = start;
    return {
      start,
      key: keyOf([transfer_id, filename, size, chunk_size]),
      filename: toSafeFilename(filename),
      phase: 'opening',
      partial: undefined,
      nextChunk: 0,
      whole: { md5: createHasher('md5'), sha256: createHasher('sha256') },
    };
  }

  function keyOf(parts: readonly (string | number)[]): string {
    const hasher = createHasher('sha256');
    hasher.update(encodeUtf8(JSON.stringify(parts)));
    return hasher.digestHex();
  }

  /** Goes on after the last whole chunk of an earlier connection; the checksums are those of what really is there. */
  async function openPartial(incoming: Incoming, store: FileStore): Promise<void> {
    const { key, filename, start, whole } = incoming;
    const { size, chunk_size: chunkBytes, total_chunks: totalChunks } = start;
    const partial = await store.open({ key, filename, sizeBytes: size });
    incoming.partial = partial;
    const keptChunks = partial.keptBytes >= size ? totalChunks : Math.floor(partial.keptBytes / chunkBytes);
    const keptBytes = Math.min(keptChunks * chunkBytes, size);
    if (partial.keptBytes !== keptBytes) await partial.truncate(keptBytes);
    for (let chunk = 0; chunk < keptChunks; chunk += 1) {
      const bytes = await partial.read(chunk * chunkBytes, Math.min(chunkBytes, size - chunk * chunkBytes));
      whole.md5.update(bytes);
      whole.sha256.update(bytes);
    }
    incoming.nextChunk = keptChunks;
  }

  function chunkFault({ start, nextChunk, phase }: Incoming, frame: ChunkFrame): string | undefined {
    if (phase !== 'receiving') return 'A chunk came before it was asked for';
    if (frame.chunk_num !== nextChunk || nextChunk >= start.total_chunks) {
      return `Expected chunk ${nextChunk} of ${start.total_chunks}, got ${frame.chunk_num}`;
    }
    const bytes = Math.min(start.chunk_size, start.size - nextChunk * start.chunk_size);
    if (frame.chunk_size === bytes && frame.size === bytes) return undefined;
    return `Expected chunk ${nextChunk} to have ${bytes} bytes, ${frame.size} are announced`;
  }

  function bytesFault({ frame }: Due, bytes: Uint8Array): string | undefined {
    if (bytes.length !== frame.size) return `Expected ${frame.size} bytes, got ${bytes.length}`;
    const { checksum } = frame;
    if (checksum === undefined || checksum === null) return undefined;
    const hasher = createHasher('md5');
    hasher.update(bytes);
    return hasher.digestHex() === checksum ? undefined : `The checksum of chunk ${frame.chunk_num} is wrong`;
  }

  async function storeChunk(incoming: Incoming, bytes: Uint8Array): Promise<void> {
    try {
      await incoming.partial?.append(bytes);
      incoming.whole.md5.update(bytes);
      incoming.whole.sha256.update(bytes);
      incoming.nextChunk += 1;
    } catch (cause) {
      const { transfer_id: transferId } = incoming.start;
      logger.error('file-not-stored', { peerId, transferId, message: String(cause) });
      await giveUp(transferId, 'The file cannot be stored here now; try again later');
    }
  }

  function endFault({ start, nextChunk, phase }: Incoming, frame: CompleteFrame): string | undefined {
    if (phase !== 'receiving') return 'The end came before the file was asked for';
    if (nextChunk !== start.total_chunks || frame.total_chunks !== start.total_chunks) {
      return `Expected ${start.total_chunks} chunks, got ${nextChunk} and word of ${frame.total_chunks}`;
    }
    return frame.checksum || frame.sha256 ? undefined : 'Expected a checksum of the whole file, got none';
  }

  async function finish(incoming: Incoming, frame: CompleteFrame): Promise<void> {
    const { start, key, filename, whole } = incoming;
    const { transfer_id: transferId, size: sizeBytes } = start;
    incoming.phase = 'closing';
    const known = finished.get(key);
    const sums = known ?? { md5: whole.md5.digestHex(), sha256: whole.sha256.digestHex() };
    for (const [name, said] of [
      ['md5', frame.checksum],
      ['sha256', frame.sha256],
    ] as const) {
      if (said && said !== sums[name]) return giveUp(transferId, `The ${name} of the whole file is wrong`);
    }
    let place = known?.place;
    try {
      place ??= await incoming.partial?.commit();
    } catch (cause) {
      logger.error('file-not-stored', { peerId, transferId, message: String(cause) });
    }
    if (place === undefined) return giveUp(transferId, 'The file cannot be stored here now; try again later');
    finished.add(key, { ...sums, place });
    logger.info('file-received', { peerId, transferId, sizeBytes });
    open.delete(transferId);
    await tellEnd(transferId, { incoming });
    if (known) return;
    const { mime_type: mimeType, session_id: sessionId } = start;
    const described = { mimeType: mimeType ?? undefined, sessionId: sessionId ?? undefined };
    options.onReceived({ transferId, peerId, place, filename, sizeBytes, sha256: sums.sha256, ...described });
  }

  function keep({ partial }: Incoming): void {
    partial?.keep().catch((cause: unknown) => logger.error('file-not-kept', { peerId, message: String(cause) }));
  }

  /** What takes its time must not hold up the other frames of the connection. */
  function inBackground(work: Promise<void>): void {
    work.catch((cause: unknown) => logger.error('file-transfer-fault', { peerId, message: String(cause) }));
  }

  return {
    start(frame) {
      inBackground(begin(frame));
    },
    async chunk(frame) {
      const { transfer_id: transferId } = frame;
      if (due?.incoming) await giveUp(due.incoming.start.transfer_id, 'The bytes of a chunk did not follow it');
      const incoming = open.get(transferId);
      due = { incoming, frame };
      if (givenUp.has(transferId)) return;
      const fault = incoming ? chunkFault(incoming, frame) : 'There is no such transfer; begin it first';
      if (fault !== undefined) await giveUp(transferId, fault);
    },
    async bytes(bytes) {
      const taken = due;
      due = undefined;
      if (!taken) return false;
      const { incoming } = taken;
      if (!incoming) return true;
      const fault = bytesFault(taken, bytes);
      if (fault === undefined) await storeChunk(incoming, bytes);
      else await giveUp(incoming.start.transfer_id, fault);
      return true;
    },
    async complete(frame) {
      const { transfer_id: transferId, status } = frame;
      const incoming = open.get(transferId);
      if (status === 'failed') {
        open.delete(transferId);
        if (incoming) logger.info('file-abandoned', { peerId, transferId });
        return discard(incoming);
      }
      if (givenUp.has(transferId)) return;
      const fault = incoming ? endFault(incoming, frame) : 'There is no such transfer; begin it first';
      if (fault !== undefined || !incoming) return giveUp(transferId, fault ?? '');
      inBackground(finish(incoming, frame));
    },
    close() {
      isClosed = true;
      for (const incoming of open.values()) if (incoming.phase === 'receiving') keep(incoming);
      open.clear();
    },
  };
}
