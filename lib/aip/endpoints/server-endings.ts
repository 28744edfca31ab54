import { buildTaskEnd, type TaskEnding } from '@/lib/aip/messages';
import { isUnwritable } from '@/lib/aip/protocol/aip-protocol';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { isConnected, type Peer } from './server-peer';

/** Tells peers of the ends of tasks. A device that is away and may come back hears of them then. */
export type Endings = {
  /** Never rejects: what cannot be written is told as a failure. */
  tell(peer: Peer, ending: TaskEnding): Promise<void>;
  /** From now on the peer is away. */
  hold(peer: Peer): void;
  /** The peer is back under another connection, and hears what it has missed. */
  release(peer: Peer, fresh: Peer): void;
  /** The peer will not come back. */
  drop(peer: Peer): void;
};

export function createEndings({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): Endings {
  /** One for each session that ended, so never more than the device had. */
  const missed = new Map<Peer, TaskEnding[]>();

  async function send(peer: Peer, ending: TaskEnding): Promise<void> {
    const failure = await failureOf(peer, ending);
    if (failure === undefined) return;
    const { sessionId, responseId } = ending;
    logger.warn('task-end-not-writable', { sessionId, clientId: peer.id, reason: failure });
    const failed = { sessionId, responseId, status: 'failed' as const, error: failure, result: [] };
    await peer.protocol.send(buildTaskEnd(failed, clock.now()));
  }

  /** @returns why the outcome is no message; undefined when it was sent, or the peer is gone */
  async function failureOf(peer: Peer, ending: TaskEnding): Promise<string | undefined> {
    try {
      const sent = await peer.protocol.send(buildTaskEnd(ending, clock.now()));
      if (sent.ok) return undefined;
      if (isUnwritable(sent.error)) return sent.error.message;
      const { sessionId } = ending;
      logger.info('task-end-not-told', { sessionId, clientId: peer.id, reason: sent.error.code });
      return undefined;
    } catch (cause) {
      // An outcome that is no JSON, from an agent that was written without types.
      logger.error('task-end-fault', { sessionId: ending.sessionId, message: String(cause) });
      return 'The outcome of this task could not be written';
    }
  }

  return {
    async tell(peer, ending) {
      const held = missed.get(peer);
      if (held) {
        // The device does nothing with the result, which may be large.
        const { sessionId, responseId, status, error } = ending;
        held.push({ sessionId, responseId, status, error });
      } else if (isConnected(peer)) await send(peer, ending);
    },
    hold(peer) {
      if (!missed.has(peer)) missed.set(peer, []);
    },
    release(peer, fresh) {
      const held = missed.get(peer) ?? [];
      missed.delete(peer);
      for (const ending of held) {
        send(fresh, ending).catch((cause: unknown) => {
          logger.error('task-end-fault', { sessionId: ending.sessionId, message: String(cause) });
        });
      }
    },
    drop(peer) {
      missed.delete(peer);
    },
  };
}
