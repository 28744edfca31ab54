import { STOCK_SIZES } from '@/lib/aip/resilience/timer-defaults';
import { neverCancelled } from '@/lib/aip/transport/cancellation';
import { err, ok, type Result } from '@/lib/std/result';
import {
  chunkFrameSchema,
  completeFrameSchema,
  FILE_FRAME_TYPES,
  nextFrameSchema,
  startFrameSchema,
} from './file-frames';
import { FILE_LIMITS } from './file-limits';
import type { FileSource } from './file-ports';
import {
  FILE_TRANSFER_TIMING,
  type FileChannel,
  type FileProtocol,
  type FileSendFailure,
  type FileSent,
  type FileToSend,
  type FileTransfers,
  type FileTransfersOptions,
  type ReceivedFile,
} from './file-transfer-types';
import { createFinishedFiles } from './finished-files';
import { createIncomingFiles } from './incoming-files';
import { createOutgoingFile, type OutgoingFile } from './outgoing-file';

/** One connection, as far as files go over it. */
type Channel = { readonly protocol: FileProtocol; readonly outgoing: Map<string, OutgoingFile> };

/**
 * Files in both directions over live connections (extension `file`). One for all connections of an endpoint: a transfer that
 * was cut goes on over the next one.
 */
export function createFileTransfers(options: FileTransfersOptions): FileTransfers {
  const { clock, random, logger, createHasher, store } = options;
  const limits = { ...FILE_LIMITS, ...options.limits };
  const timing = { ...FILE_TRANSFER_TIMING, ...options.timing };
  const finished = createFinishedFiles();
  const channels = new Map<string, Channel>();
  const underWay = new Set<string>();
  const waiting = new Set<(peerId: string) => void>();

  async function tellReceived(file: ReceivedFile) {
    try {
      await options.onReceived?.(file);
    } catch (cause) {
      logger.error('file-listener-failed', { transferId: file.transferId, message: String(cause) });
    }
  }

  function attach(protocol: FileProtocol, peerId = ''): FileChannel {
    const channel: Channel = { protocol, outgoing: new Map() };
    const onReceived = (file: ReceivedFile) => void tellReceived(file);
    const common = { logger, createHasher, limits, store, finished };
    const incoming = createIncomingFiles({ ...common, protocol, peerId, onReceived });
    protocol.onCustom('file_transfer_start', startFrameSchema, incoming.start);
    protocol.onCustom('binary_data', chunkFrameSchema, incoming.chunk);
    protocol.onCustom('file_transfer_next', nextFrameSchema, (frame) =>
      channel.outgoing.get(frame.transfer_id)?.onNext(frame),
    );
    protocol.onCustom('file_transfer_complete', completeFrameSchema, (frame) => {
      const outgoing = channel.outgoing.get(frame.transfer_id);
      return outgoing ? outgoing.onComplete(frame) : incoming.complete(frame);
    });
    channels.set(peerId, channel);
    for (const look of [...waiting]) look(peerId);
    return {
      async take(received) {
        if (received.kind === 'binary') return incoming.bytes(received.bytes);
        if (received.kind !== 'custom' || !FILE_FRAME_TYPES.some((type) => type === received.type)) return false;
        await received.handle();
        return true;
      },
      close() {
        if (channels.get(peerId) === channel) channels.delete(peerId);
        for (const outgoing of channel.outgoing.values()) outgoing.onClosed();
        incoming.close();
      },
    };
  }

  /** The next connection to a peer after the one that was cut; undefined when it does not come in time. */
  function nextChannel(cut: Channel, order: FileToSend): Promise<Channel | undefined> {
    const { peerId = '', cancellation = neverCancelled } = order;
    const present = channels.get(peerId);
    // One that can send no more may not have been told of its end yet.
    if ((present && present !== cut) || cancellation.isCancelled) return Promise.resolve(present);
    return new Promise((resolve) => {
      const settle = (channel: Channel | undefined) => {
        waiting.delete(look);
        stopTimer();
        forget();
        resolve(channel);
      };
      const look = (arrived: string) => {
        if (arrived === peerId) settle(channels.get(peerId));
      };
      waiting.add(look);
      const stopTimer = clock.after(timing.reconnectMs, () => settle(undefined));
      const forget = cancellation.onCancelled(() => settle(undefined));
    });
  }

  type Order = FileToSend & { readonly transferId: string; readonly chunkBytes: number };

  async function sendOver(channel: Channel, source: FileSource, order: Order) {
    const { protocol, outgoing } = channel;
    const file = createOutgoingFile({
      clock,
      logger,
      createHasher,
      answerMs: timing.answerMs,
      protocol,
      source,
      order,
    });
    outgoing.set(order.transferId, file);
    try {
      return await file.run();
    } finally {
      outgoing.delete(order.transferId);
    }
  }

  async function sendAll(source: FileSource, order: Order): Promise<Result<FileSent, FileSendFailure>> {
    const { transferId, peerId = '' } = order;
    const fail = (code: FileSendFailure['code'], message: string) => err({ code, message, transferId });
    let chunksSent = 0;
    let channel = channels.get(peerId);
    if (!channel) return fail('not-connected', 'There is no connection to this peer on which file transfer is agreed');
    for (;;) {
      const outcome = await sendOver(channel, source, order);
      if (outcome.ok) return ok({ ...outcome.value, transferId, chunksSent: chunksSent + outcome.value.chunksSent });
      chunksSent += outcome.error.chunksSent;
      const { code, message } = outcome.error;
      if (code !== 'closed') return fail(code, message);
      channel = await nextChannel(channel, order);
      if (order.cancellation?.isCancelled) return fail('cancelled', 'The transfer was cancelled');
      if (!channel) return fail('closed', `${message}, and the peer did not come back in ${timing.reconnectMs} ms`);
    }
  }

  return {
    attach,
    async send(source, order = {}) {
      const { transferId = random.uuid(), chunkBytes = STOCK_SIZES.fileChunkBytes } = order;
      if (!Number.isSafeInteger(chunkBytes) || chunkBytes < 1) {
        throw new RangeError(`Expected chunkBytes to be a whole number above 0, got ${chunkBytes}`);
      }
      if (underWay.has(transferId)) {
        return err({ code: 'under-way', message: `The transfer ${transferId} is under way already`, transferId });
      }
      underWay.add(transferId);
      try {
        return await sendAll(source, { ...order, transferId, chunkBytes });
      } finally {
        underWay.delete(transferId);
      }
    },
  };
}
