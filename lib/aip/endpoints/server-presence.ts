import type { Logger } from '@/lib/std/logger';
import type { ServerDeviceInfo } from './server-device-info';
import { hasAgreed, type Peer, type Registry } from './server-peer';
import { isTokenOf, type LostDevices } from './server-resume';
import type { Sessions } from './server-sessions';

/** Who comes and who goes, and what becomes of the work in their hands. */
export type Presence = {
  /**
   * Takes the id for a peer, if it is free. The one who shows the token of the connection that holds it has it: that
   * connection is dead, though nobody has noticed yet.
   *
   * @returns false when the id is another's; else the device as it was, whose work this one takes up
   */
  enter(peer: Peer, token: string | undefined): false | { readonly earlier: Peer | undefined };
  /** Frees the id at once; says it once, however often it is called. */
  leave(peer: Peer, closedCode: number): void;
  /** From now on nothing is kept for those who leave. */
  stop(): void;
};

/**
 * Ends after which nobody comes back for the same work: a goodbye of either side, and a message that is too large, since
 * it would be just as large the next time.
 */
const FINAL_CODES: ReadonlySet<number> = new Set([1000, 1001, 1009]);

export function createPresence(options: {
  readonly logger: Logger;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly deviceInfo: ServerDeviceInfo;
  readonly lostDevices: LostDevices;
}): Presence {
  const { logger, registry, sessions, deviceInfo, lostDevices } = options;
  let isStopping = false;

  function leave(peer: Peer, closedCode: number) {
    if (!registry.remove(peer)) return;
    deviceInfo.forget(peer);
    const mayReturn = hasAgreed(peer, 'resume') && !FINAL_CODES.has(closedCode) && !isStopping;
    const isKept = mayReturn && sessions.hasWorkFor(peer);
    logger.info('client-gone', { clientId: peer.id, role: peer.role, code: closedCode, isKept });
    if (isKept) lostDevices.keep(peer);
    else sessions.endAllOf(peer);
  }

  return {
    enter(peer, token) {
      const holder = registry.get(peer.id);
      if (holder && isTokenOf(holder, token)) {
        leave(holder, 1006);
        holder.protocol.transport.terminate();
      }
      if (!registry.add(peer)) return false;
      return { earlier: lostDevices.claim(peer.id, token) };
    },
    leave,
    stop() {
      isStopping = true;
      lostDevices.endAll();
    },
  };
}
