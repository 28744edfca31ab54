import { type Cancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import {
  assertReconnectionSettings,
  LIBRARY_RECONNECTION,
  type ReconnectionSettings,
  reconnectionDelayMs,
} from './reconnection-settings';
import { wait } from './wait';

/** Why work was given up: the reference's words, one for each side that can be lost. */
export const LOSS_REASONS = {
  device: 'device_disconnected',
  constellation: 'constellation_disconnected',
} as const;

/**
 * How a try went: `true` for a confirmed registration and nothing less. A failure may ask for patience, when it is of
 * a kind that heals slowly, such as a wrong token or an id that a dead connection still holds: the next wait is at
 * least so long, `maxBackoffMs` notwithstanding.
 */
export type ReconnectOutcome = boolean | { readonly retryAfterMs: number };

/**
 * Connects and registers; a rejection counts as a failure. The strategy waits for its end and knows no time-out:
 * whoever writes it sees to it that connecting and registering end, soon after the cancellation above all.
 */
export type Reconnect = (cancellation: Cancellation) => Promise<ReconnectOutcome>;

/** What becomes of a loss. One that throws or rejects is logged, and the next is called all the same. */
export type DisconnectionHooks = {
  cancelPendingTasks(reason: string): void | Promise<void>;
  /** Tells the layers above. */
  notify(reason: string): void | Promise<void>;
  readonly reconnect: Reconnect;
  /** Called after a confirmed registration, and awaited. */
  onReconnect?(): void | Promise<void>;
};

export type ReconnectionPorts = { readonly clock: Clock; readonly random: Random; readonly logger: Logger };

export type ReconnectionStrategy = {
  readonly settings: ReconnectionSettings;
  /** The wait before a try, in milliseconds, drawn anew at each call. @param attempt - 0 is the first one */
  delayMs(attempt: number): number;
  /** Tries in a row of this device that failed; 0 again after a confirmed registration. */
  attempts(deviceId: string): number;
  /** Sets the count of one device, or of all, back to 0: for a registration that came about by another way. */
  reset(deviceId?: string): void;
  /**
   * Waits and tries until it succeeds, the tries are used up or it is cancelled; begins with all its tries.
   *
   * @returns whether the device is registered again
   */
  attempt(deviceId: string, reconnect: Reconnect, cancellation?: Cancellation): Promise<boolean>;
  /**
   * Deals with the loss of a registered connection: pending tasks are cancelled, the layers above are told, then it
   * is tried again, and `onReconnect` is called after a success. Call it once for each connection that is lost.
   * When it is cancelled, what `reconnect` has made belongs to whoever cancelled.
   *
   * @returns whether the device is registered again; it never rejects
   */
  handleDisconnection(deviceId: string, hooks: DisconnectionHooks, cancellation?: Cancellation): Promise<boolean>;
};

type Tries = { failed: number };

/**
 * Brings lost devices back. One strategy serves any number of devices side by side; each has its own count.
 *
 * @param settings - what is left out is as in LIBRARY_RECONNECTION
 * @throws RangeError when a setting is out of its range
 * @see microsoft/UFO, aip/resilience/reconnection.py
 */
export function createReconnectionStrategy(
  settings: Partial<ReconnectionSettings>,
  { clock, random, logger }: ReconnectionPorts,
): ReconnectionStrategy {
  const plan = { ...LIBRARY_RECONNECTION, ...settings };
  assertReconnectionSettings(plan);
  const triesOf = new Map<string, Tries>();

  const delayMs = (attempt: number) => reconnectionDelayMs(plan, attempt, random.fraction());

  async function hook(deviceId: string, name: string, run: () => void | Promise<void>) {
    try {
      await run();
    } catch (cause) {
      logger.error('reconnection-hook-failed', { deviceId, hook: name, message: textOf(cause) });
    }
  }

  async function tryOnce(deviceId: string, reconnect: Reconnect, cancellation: Cancellation) {
    try {
      return await reconnect(cancellation);
    } catch (cause) {
      logger.warn('reconnection-try-threw', { deviceId, message: textOf(cause) });
      return false;
    }
  }

  async function attempt(deviceId: string, reconnect: Reconnect, cancellation = neverCancelled): Promise<boolean> {
    if (plan.policy === 'none') return false;
    const tries: Tries = { failed: 0 };
    triesOf.set(deviceId, tries);
    let patienceMs = 0;
    while (tries.failed < plan.maxRetries && !cancellation.isCancelled) {
      const afterMs = Math.max(delayMs(tries.failed), patienceMs);
      logger.info('reconnection-waiting', { deviceId, attempt: tries.failed + 1, afterMs });
      await wait(clock, afterMs, cancellation);
      if (cancellation.isCancelled) break;
      const outcome = await tryOnce(deviceId, reconnect, cancellation);
      if (cancellation.isCancelled) break;
      if (outcome === true) {
        logger.info('reconnected', { deviceId, attempt: tries.failed + 1 });
        tries.failed = 0;
        return true;
      }
      patienceMs = outcome === false ? 0 : outcome.retryAfterMs;
      tries.failed += 1;
      logger.warn('reconnection-failed', { deviceId, attempt: tries.failed });
    }
    if (cancellation.isCancelled) logger.info('reconnection-cancelled', { deviceId, attempts: tries.failed });
    else logger.error('reconnection-given-up', { deviceId, attempts: tries.failed });
    return false;
  }

  return {
    settings: plan,
    delayMs,
    attempts: (deviceId) => triesOf.get(deviceId)?.failed ?? 0,
    reset(deviceId) {
      const chosen = deviceId === undefined ? [...triesOf.values()] : [triesOf.get(deviceId)];
      for (const tries of chosen) if (tries) tries.failed = 0;
    },
    attempt,
    async handleDisconnection(deviceId, hooks, cancellation) {
      logger.warn('device-disconnected', { deviceId });
      await hook(deviceId, 'cancelPendingTasks', () => hooks.cancelPendingTasks(LOSS_REASONS.device));
      await hook(deviceId, 'notify', () => hooks.notify(LOSS_REASONS.device));
      const isBack = await attempt(deviceId, hooks.reconnect, cancellation);
      if (isBack) await hook(deviceId, 'onReconnect', () => hooks.onReconnect?.());
      return isBack;
    },
  };
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
