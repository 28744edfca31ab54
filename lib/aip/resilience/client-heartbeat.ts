import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { HELD_UP_MS } from './patient-timer';
import { watchSilence } from './silence-watch';

/** What the heartbeats of all clients have in common. */
export type HeartbeatPorts = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Sends one beat; says whether it was sent. */
  readonly send: (clientId: string) => Promise<boolean>;
  readonly isConnected: (clientId: string) => boolean;
  /**
   * Silence of this length, in milliseconds, means that the peer is gone; without it there is no such verdict.
   * Leave room for two beats at least, or a peer is judged before it could answer.
   */
  readonly deadAfterMs?: number;
  /** Told at each beat that finds the one before without an answer. @param missedBeats - in a row, from 1 */
  readonly onMissed?: (clientId: string, missedBeats: number) => void;
  /** Told once; the heartbeat of this client has stopped by then. */
  readonly onDead?: (clientId: string, silenceMs: number) => void;
  /** While this holds, silence is our own doing, not the peer's: we are not reading. */
  readonly isExcused?: (clientId: string) => boolean;
};

export type ClientHeartbeat = {
  readonly intervalMs: number;
  readonly missedBeats: number;
  heard(): void;
  stop(): void;
};

/** A send that has hung over so many beats is given up, so that a connection that came meanwhile has its beats. */
const SKIPPED_BEATS_MAX = 3;

/**
 * The heartbeat of one client, from its start to its stop. No fault of a port ends it.
 *
 * @param onEnd - called when the peer is judged dead, before `onDead` of the ports
 */
export function startClientHeartbeat(
  client: { readonly clientId: string; readonly intervalMs: number },
  ports: HeartbeatPorts,
  onEnd: () => void,
): ClientHeartbeat {
  const { clientId, intervalMs } = client;
  const { clock, logger, deadAfterMs } = ports;
  let missedBeats = 0;
  let isUnanswered = false;
  let hasGrace = true;
  let isStopped = false;
  let sending: Promise<void> | undefined;
  let skippedBeats = 0;
  let dueMs = clock.now() + intervalMs;
  const stopBeats = clock.every(intervalMs, () => guarded(beat, undefined));
  const watch =
    deadAfterMs === undefined
      ? undefined
      : watchSilence({
          clock,
          deadAfterMs,
          readingMs: intervalMs,
          isExcused: () => guarded(() => !ports.isConnected(clientId) || isExcused(), false),
          onDead(silenceMs) {
            logger.info('heartbeat-peer-dead', { clientId, silenceMs });
            onEnd();
            guarded(() => ports.onDead?.(clientId, silenceMs), undefined);
          },
        });

  /** A timer's callback has no caller that could deal with what its user's functions throw. */
  function guarded<Value>(run: () => Value, otherwise: Value): Value {
    try {
      return run();
    } catch (cause) {
      logger.error('heartbeat-callback-failed', { clientId, message: textOf(cause) });
      return otherwise;
    }
  }

  function isExcused() {
    return ports.isExcused?.(clientId) ?? false;
  }

  function beat() {
    const lateMs = clock.now() - dueMs;
    dueMs = clock.now() + intervalMs;
    if (!ports.isConnected(clientId)) {
      logger.warn('heartbeat-skipped', { clientId, reason: 'not connected' });
      forgive();
      return;
    }
    guarded(() => judge(lateMs), undefined);
    if (!isStopped) sendNext();
  }

  /** Whoever judges a peer late must have read what it has sent: not while excused, nor just after being held up. */
  function judge(lateMs: number) {
    if (!isUnanswered || isExcused()) return;
    if (hasGrace && lateMs > HELD_UP_MS) {
      hasGrace = false;
      return;
    }
    missedBeats += 1;
    logger.warn('heartbeat-missed', { clientId, missedBeats });
    ports.onMissed?.(clientId, missedBeats);
  }

  function sendNext() {
    isUnanswered = true;
    if (sending && skippedBeats < SKIPPED_BEATS_MAX) {
      skippedBeats += 1;
      logger.warn('heartbeat-skipped', { clientId, reason: 'the one before is still being sent' });
      return;
    }
    skippedBeats = 0;
    const work = sendOne().finally(() => {
      if (sending === work) sending = undefined;
    });
    sending = work;
  }

  async function sendOne() {
    try {
      if (await ports.send(clientId)) logger.debug('heartbeat-sent', { clientId });
      else logNotSent('the connection did not take it');
    } catch (cause) {
      logNotSent(textOf(cause));
    }
  }

  /** A connection that ends under a beat is somebody else's news. */
  function logNotSent(reason: string) {
    const isNews = !isStopped && guarded(() => ports.isConnected(clientId), true);
    logger[isNews ? 'warn' : 'debug']('heartbeat-not-sent', { clientId, reason });
  }

  function forgive() {
    isUnanswered = false;
    missedBeats = 0;
    hasGrace = true;
    watch?.heard();
  }

  return {
    intervalMs,
    get missedBeats() {
      return missedBeats;
    },
    heard: forgive,
    stop() {
      isStopped = true;
      stopBeats();
      watch?.stop();
    },
  };
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
