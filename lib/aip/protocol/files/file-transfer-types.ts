import type { AipProtocol, Received } from '@/lib/aip/protocol/aip-protocol';
import type { AipMessage } from '@/lib/aip/protocol/middleware/middleware';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { FileLimits } from './file-limits';
import type { CreateHasher, FileSource, FileStore } from './file-ports';

/** What file transfer needs of a protocol, of either face. */
export type FileProtocol = Pick<AipProtocol<never, never>, 'onCustom' | 'sendCustom' | 'sendBinary'>;

/** A file that has come whole, its checksums verified. */
export type ReceivedFile = {
  readonly transferId: string;
  readonly peerId: string;
  /** Where the store put it. */
  readonly place: string;
  /** Safe as a base name; the store may have chosen another one. */
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly mimeType: string | undefined;
  readonly sessionId: string | undefined;
};

export type FileTransferTiming = {
  /** How long a receiver may take to say where to begin, or what came of the whole: it may have to read it all again. */
  readonly answerMs: number;
  /** How long a transfer waits for the next connection after a cut. */
  readonly reconnectMs: number;
};

export const FILE_TRANSFER_TIMING: FileTransferTiming = { answerMs: 120_000, reconnectMs: 60_000 };

export type FileTransfersOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly createHasher: CreateHasher;
  /** Without it every file that is offered is refused. */
  readonly store?: FileStore;
  readonly limits?: Partial<FileLimits>;
  readonly timing?: Partial<FileTransferTiming>;
  /** Told once for each file that has come. */
  readonly onReceived?: (file: ReceivedFile) => void | Promise<void>;
};

export type FileToSend = {
  /** The peer, as {@link FileTransfers.attach} was told it; may be left out where there is only one. */
  readonly peerId?: string;
  /** That of a transfer to go on with; a fresh one by default. Never guessable: who knows it can go on with the file. */
  readonly transferId?: string;
  readonly sessionId?: string;
  /** 1048576 by default. */
  readonly chunkBytes?: number;
  /** Told after each chunk; counts from where a resumed transfer went on. */
  readonly onProgress?: (progress: { readonly sentBytes: number; readonly sizeBytes: number }) => void;
  readonly cancellation?: Cancellation;
};

export type FileSendFailure = {
  readonly code: /** There is no connection to that peer on which `file` is agreed. */
    | 'not-connected'
    /** The peer does not take this file. */
    | 'refused'
    /** The peer has taken it and then given up: it says why. */
    | 'failed'
    /** The file cannot be read, or is not as it was. */
    | 'source'
    | 'cancelled'
    | 'timeout'
    /** The connection was cut and did not come back in time. The transfer may be gone on with later, under its id. */
    | 'closed'
    /** A transfer of that id is under way. */
    | 'under-way';
  readonly message: string;
  readonly transferId: string;
};

export type FileSent = {
  readonly transferId: string;
  readonly sha256: string;
  /** Chunks that went out in all, with those that were sent again after a cut. */
  readonly chunksSent: number;
};

/** Takes the frames of file transfers on one connection; plugs into the option `files` of every endpoint. */
export type FileChannel = {
  /** Says whether the frame belonged to a transfer; nobody else sees it then. */
  take(received: Received<AipMessage>): Promise<boolean>;
  /** The connection has ended: what was under way waits for the next one. */
  close(): void;
};

export type FileTransfers = {
  attach(protocol: FileProtocol, peerId?: string): FileChannel;
  /**
   * Sends a file, and goes on over the next connection to the same peer when this one is cut. Resolves when the peer has the
   * file whole, or with the reason why it has not.
   */
  send(source: FileSource, order?: FileToSend): Promise<Result<FileSent, FileSendFailure>>;
};
