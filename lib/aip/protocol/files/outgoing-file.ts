import { buildChunkDescription, buildFileTransferComplete, buildFileTransferStart } from '@/lib/aip/messages';
import type { Sent } from '@/lib/aip/protocol/aip-protocol';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';
import type { CompleteFrame, NextFrame } from './file-frames';
import type { CreateHasher, FileSource } from './file-ports';
import type { FileProtocol, FileSendFailure, FileToSend } from './file-transfer-types';
import { readChunk } from './read-chunk';

/** What the other side says about one transfer, on one connection. */
export type OutgoingFile = {
  onNext(frame: NextFrame): void;
  onComplete(frame: CompleteFrame): void;
  onClosed(): void;
  /** Sends from where the receiver says to the end. Called once. */
  run(): Promise<Result<{ readonly sha256: string; readonly chunksSent: number }, OutgoingFailure>>;
};

/** `chunksSent`: before it failed. */
export type OutgoingFailure = Pick<FileSendFailure, 'code' | 'message'> & { readonly chunksSent: number };

export type OutgoingOptions = {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createHasher: CreateHasher;
  readonly answerMs: number;
  readonly protocol: FileProtocol;
  readonly source: FileSource;
  readonly order: FileToSend & { readonly transferId: string; readonly chunkBytes: number };
};

type Answer = { readonly next: NextFrame } | End;
type End = { readonly end: CompleteFrame | 'closed' | 'cancelled' };

export function createOutgoingFile(options: OutgoingOptions): OutgoingFile {
  const { clock, logger, createHasher, answerMs, protocol, source, order } = options;
  const { transferId, chunkBytes, cancellation } = order;
  const { filename, sizeBytes, mimeType } = source;
  const totalChunks = Math.ceil(sizeBytes / chunkBytes);
  let chunksSent = 0;
  let end: End | undefined;
  let tellAnswer: (answer: Answer) => void = () => {};
  let tellEnd: (end: End) => void = () => {};
  const answered = new Promise<Answer>((resolve) => {
    tellAnswer = resolve;
  });
  const ended = new Promise<End>((resolve) => {
    tellEnd = resolve;
  });

  function settle(last: End) {
    end ??= last;
    tellAnswer(last);
    tellEnd(last);
  }

  const failed = (code: FileSendFailure['code'], message: string) => err({ code, message, chunksSent });
  const silent = () => abandon('timeout', `The receiver said nothing for ${answerMs} ms`);

  function failureOf({ end: last }: End) {
    if (last === 'closed') return failed('closed', 'The connection was cut before the file was through');
    if (last === 'cancelled') return abandon('cancelled', 'The sender does not want to send the file any more');
    const code = chunksSent === 0 ? 'refused' : 'failed';
    return failed(code, last.error || 'The receiver gave the transfer up without saying why');
  }

  async function begin(): Promise<Result<number, OutgoingFailure>> {
    const { sessionId } = order;
    const start = buildFileTransferStart({ filename, sizeBytes, chunkBytes, mimeType, sessionId, transferId });
    const sent = await protocol.sendCustom(start);
    if (!sent.ok) return notSent(sent);
    const answer = await withinTime(clock, answerMs, answered);
    if (!answer.inTime) return silent();
    if ('end' in answer.value) return failureOf(answer.value);
    const { chunk_num: first, chunk_size: size } = answer.value.next;
    if (Number.isSafeInteger(first) && first >= 0 && first <= totalChunks && size === chunkBytes) return ok(first);
    return abandon('failed', `Expected a chunk from 0 to ${totalChunks} of ${chunkBytes} bytes, was asked for another`);
  }

  function notSent({ error: { code, message } }: Extract<Sent, { ok: false }>) {
    return code === 'closed' || code === 'timeout' ? failed('closed', message) : abandon('failed', message);
  }

  /** Tells the receiver, which then keeps nothing. */
  async function abandon(code: FileSendFailure['code'], message: string) {
    const complete = { filename, totalChunks: 0, status: 'failed' as const, error: message, transferId };
    const sent = await protocol.sendCustom(buildFileTransferComplete(complete));
    if (!sent.ok) logger.debug('file-end-not-sent', { transferId, reason: sent.error.code });
    return failed(code, message);
  }

  async function sendChunks(first: number): Promise<Result<{ md5: string; sha256: string }, OutgoingFailure>> {
    const whole = { md5: createHasher('md5'), sha256: createHasher('sha256') };
    for (let chunkNumber = 0; chunkNumber < totalChunks; chunkNumber += 1) {
      if (end) return failureOf(end);
      const bytes = await readChunk(source, chunkNumber, chunkBytes);
      whole.md5.update(bytes);
      whole.sha256.update(bytes);
      if (chunkNumber < first) continue;
      const sent = await sendChunk(chunkNumber, bytes);
      if (!sent.ok) return notSent(sent);
      chunksSent += 1;
      order.onProgress?.({ sentBytes: chunkNumber * chunkBytes + bytes.length, sizeBytes });
    }
    return ok({ md5: whole.md5.digestHex(), sha256: whole.sha256.digestHex() });
  }

  function sendChunk(chunkNumber: number, bytes: Uint8Array): Promise<Sent> {
    const hasher = createHasher('md5');
    hasher.update(bytes);
    const chunk = { chunkNumber, sizeBytes: bytes.length, checksum: hasher.digestHex(), transferId };
    return protocol.sendBinary(buildChunkDescription(chunk, clock.now()), bytes);
  }

  async function finish({ md5, sha256 }: { readonly md5: string; readonly sha256: string }) {
    const complete = { filename, totalChunks, checksum: md5, sha256, transferId };
    const sent = await protocol.sendCustom(buildFileTransferComplete(complete));
    if (!sent.ok) return notSent(sent);
    const last = await withinTime(clock, answerMs, ended);
    if (!last.inTime) return silent();
    const { end: word } = last.value;
    return typeof word === 'object' && word.status === 'completed' ? ok({ sha256, chunksSent }) : failureOf(last.value);
  }

  return {
    onNext: (frame) => tellAnswer({ next: frame }),
    onComplete: (frame) => settle({ end: frame }),
    onClosed: () => settle({ end: 'closed' }),
    async run() {
      const forget = cancellation?.onCancelled(() => settle({ end: 'cancelled' }));
      try {
        const first = await begin();
        if (!first.ok) return first;
        const sums = await sendChunks(first.value);
        return sums.ok ? await finish(sums.value) : sums;
      } catch (cause) {
        logger.warn('file-not-readable', { transferId, message: String(cause) });
        return abandon('source', `The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
      } finally {
        forget?.();
      }
    },
  };
}
