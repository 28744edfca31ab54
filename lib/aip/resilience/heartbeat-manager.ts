import { type ClientHeartbeat, type HeartbeatPorts, startClientHeartbeat } from './client-heartbeat';
import { durationMs } from './duration';
import { STOCK_TIMERS } from './timer-defaults';

export type HeartbeatManagerOptions = HeartbeatPorts & {
  /** For clients that name no interval of their own, in milliseconds; 30 s by default. */
  readonly intervalMs?: number;
};

export type HeartbeatManager = {
  /**
   * Beats from now on, the first time after one interval. A heartbeat that runs already is replaced: what it has
   * missed is forgotten.
   *
   * @param intervalMs - 0, `null` and `undefined` mean the default
   * @throws RangeError for an interval that is none
   */
  start(clientId: string, intervalMs?: number | null): void;
  /** May be called at any time, also twice and for an unknown client. */
  stop(clientId: string): void;
  stopAll(): void;
  isRunning(clientId: string): boolean;
  /** In milliseconds; `undefined` when the heartbeat does not run. */
  getInterval(clientId: string): number | undefined;
  /** A sign of life: whatever comes from the peer, not its answers to beats alone. */
  heard(clientId: string): void;
  /** Beats in a row that got no sign of life before the next one was due. */
  missedBeats(clientId: string): number;
};

/**
 * Keeps the heartbeats of any number of connections, one for each client id, and notices peers that fall silent.
 * While a client is not connected its beats are skipped, and its silence is not held against it.
 *
 * @throws RangeError when a length of time is no positive, finite number
 * @see microsoft/UFO, aip/resilience/heartbeat_manager.py, which beats but does not notice
 */
export function createHeartbeatManager(options: HeartbeatManagerOptions): HeartbeatManager {
  const { logger, deadAfterMs } = options;
  const defaultMs = durationMs(options.intervalMs, STOCK_TIMERS.heartbeatMs);
  if (deadAfterMs !== undefined) durationMs(deadAfterMs, Number.NaN);
  const running = new Map<string, ClientHeartbeat>();

  function stop(clientId: string) {
    running.get(clientId)?.stop();
    if (running.delete(clientId)) logger.debug('heartbeat-stopped', { clientId });
  }

  return {
    start(clientId, askedMs) {
      const intervalMs = durationMs(askedMs, defaultMs);
      if (running.has(clientId)) {
        logger.warn('heartbeat-replaced', { clientId, intervalMs });
        stop(clientId);
      }
      if (deadAfterMs !== undefined && deadAfterMs <= intervalMs) {
        logger.warn('heartbeat-slower-than-verdict', { clientId, intervalMs, deadAfterMs });
      }
      running.set(
        clientId,
        startClientHeartbeat({ clientId, intervalMs }, options, () => stop(clientId)),
      );
      logger.debug('heartbeat-started', { clientId, intervalMs });
    },
    stop,
    stopAll() {
      for (const clientId of [...running.keys()]) stop(clientId);
    },
    isRunning: (clientId) => running.has(clientId),
    getInterval: (clientId) => running.get(clientId)?.intervalMs,
    heard: (clientId) => running.get(clientId)?.heard(),
    missedBeats: (clientId) => running.get(clientId)?.missedBeats ?? 0,
  };
}
