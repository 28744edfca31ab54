import type { ClientMessage, ServerMessage } from '@/lib/aip/messages';
import type { AipProtocol, Received, Sent } from '@/lib/aip/protocol/aip-protocol';
import type { TimeoutManager } from '@/lib/aip/resilience/timeout-manager';
import type { Logger } from '@/lib/std/logger';
import { err } from '@/lib/std/result';

type Message = ClientMessage | ServerMessage;

/**
 * Gives every send and receive of a protocol an end, in place: whoever holds the protocol has it.
 *
 * A peer that takes nothing of a message for the whole time is gone: the connection is cut and the send fails as
 * `timeout`. A message that leaves slowly may take as long as it needs. Silence is no fault, since a stock device beats only
 * every two minutes, so a quiet receive is noted and goes on.
 */
export function limitTimes<Outgoing extends Message, Incoming extends Message>(
  protocol: AipProtocol<Outgoing, Incoming>,
  { timeouts, logger }: { readonly timeouts: TimeoutManager; readonly logger: Logger },
): void {
  const { send, sendCustom, sendBinary, receive } = protocol;
  /** Frames leave in order, so any send that ends shows that the peer is reading. */
  let sentCount = 0;

  async function timed(type: string, begin: () => Promise<Sent>): Promise<Sent> {
    const sending = begin().finally(() => {
      sentCount += 1;
    });
    for (;;) {
      const { transport } = protocol;
      const before = { bytes: transport.bufferedBytes, sentCount };
      const sent = await timeouts.withTimeoutOrNone(`sending ${type}`, sending);
      if (sent) return sent;
      if (transport.bufferedBytes < before.bytes || sentCount > before.sentCount) continue;
      sending.catch(() => {}); // nobody waits for it any more, and its end is told below
      transport.terminate();
      const afterMs = timeouts.defaultMs;
      logger.warn('peer-takes-nothing', { type, afterMs, bufferedBytes: before.bytes });
      return err({ code: 'timeout', message: `The peer took nothing for ${afterMs} ms; the connection was cut` });
    }
  }

  protocol.send = (message) => timed(message.type, () => send(message));
  protocol.sendCustom = (frame) => timed(String(frame.type), () => sendCustom(frame));
  protocol.sendBinary = (description, bytes) => timed(String(description.type), () => sendBinary(description, bytes));
  protocol.receive = async (): Promise<Received<Incoming>> => {
    const receiving = receive();
    for (;;) {
      const received = await timeouts.withTimeoutOrNone('receiving', receiving);
      if (received) return received;
      logger.debug('peer-quiet', { afterMs: timeouts.defaultMs });
    }
  };
}
