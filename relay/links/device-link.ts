import type { LookupFunction } from 'node:net';
import type {
  ConstellationConnection,
  ConstellationConnectionOptions,
  OpenFailure,
} from '@/lib/aip/endpoints/constellation-types';
import { type CancellationSource, createCancellation } from '@/lib/aip/transport/cancellation';
import type { Transport } from '@/lib/aip/transport/transport';
import type { DeviceProfile, DeviceStatus } from '@/lib/fleet/device';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { redactText } from '@/relay/net/json-logger';
import type { AddressPolicy } from './address-policy';
import { checkServerUrl, createGuardedLookup } from './allowed-url';
import { type AttemptKey, type AttemptQueue, createAttemptQueue } from './attempt-queue';
import type { SessionEnd } from './flight';
import type { HostBudget } from './host-budget';
import type { AttemptOrder, DeviceFact, LinkHost } from './link-host';
import { LinkSession } from './link-session';
import type { LinkTiming } from './link-timing';
import { type LinkFailure, nextTry } from './reconnect-policy';
import { cancelledReport, failedReport } from './translate';

export type DeviceLinkOptions = {
  readonly host: LinkHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timing: LinkTiming;
  readonly policy: AddressPolicy;
  /** Names this relay among others on the same server. */
  readonly installation: string;
  readonly createTransport: (url: string, lookup: LookupFunction) => Transport;
  readonly createEndpoint: (options: ConstellationConnectionOptions) => ConstellationConnection;
  readonly budget: HostBudget;
};

type Outcome =
  | { readonly kind: 'failed'; readonly failure: LinkFailure; readonly reason: string }
  | { readonly kind: 'ended'; readonly end: SessionEnd; readonly heldMs: number };

/** What this relay makes use of towards a server that agrees to it. */
const EXTENSIONS = ['device_info', 'log', 'cancel', 'deadline'] as const;

const LIFE_AND_DEATH: ReadonlySet<DeviceStatus> = new Set(['connected', 'disconnected', 'failed']);

/** A server may say at length why it refuses; a screen shows a sentence. */
const REASON_LENGTH_MAX = 500;

const FAILURE_OF: Record<OpenFailure['code'], LinkFailure> = {
  'connect-failed': 'unreachable',
  unauthorized: 'unauthorized',
  'invalid-url': 'unreachable',
  refused: 'absent',
  'register-timeout': 'unreachable',
  closed: 'unreachable',
};

/**
 * The link to one device for as long as the device is known: connects, serves, waits and connects again, for ever.
 *
 * ```
 * stopped ──start──► connecting ──► serving (link-session.ts)
 *    ▲                 ▲    │ failed      │ ended
 *    └──────stop───────┤    ▼             │
 *                      └─ waiting ◄───────┘
 * ```
 * What is announced is what an operator should see: tries behind a device that is known to be away are not.
 */
export class DeviceLink {
  readonly #options: DeviceLinkOptions;
  readonly #queue: AttemptQueue = createAttemptQueue();
  #profile: DeviceProfile;
  #session: LinkSession | undefined;
  #opening: CancellationSource | undefined;
  /** Of one kind in a row: a device that was away has not failed yet when its server is. */
  #failures = 0;
  #lastFailure: LinkFailure | undefined;
  #isWanted = false;
  /** A try was given up for the sake of the next one, so its failure means nothing. */
  #isHurried = false;
  #stopReason = 'not connected on purpose';
  #loop: Promise<void> = Promise.resolve();
  #endPause: () => void = () => {};
  #announced: { readonly status: DeviceStatus; readonly reason: string | null } | undefined;

  constructor(profile: DeviceProfile, options: DeviceLinkOptions) {
    this.#profile = profile;
    this.#options = options;
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#failures = 0;
    this.#stopReason = 'not connected on purpose';
    this.#loop = this.#loop.then(() => this.#run());
  }

  /** Closes the connection and stays closed. An attempt under way is lost, with the reason. */
  async stop(reason: string): Promise<void> {
    this.#isWanted = false;
    this.#stopReason = reason;
    this.#opening?.cancel();
    this.#session?.end({ cause: 'stopped', reason });
    this.#endPause();
    await this.#loop;
  }

  /** Takes over a changed profile; a new address is used at once, or after the task under way. */
  edit(profile: DeviceProfile): void {
    const old = this.#profile;
    this.#profile = profile;
    if (profile.autoConnect !== old.autoConnect) {
      if (profile.autoConnect) this.start();
      else this.#stopWhenIdle();
      return;
    }
    if (profile.serverUrl === old.serverUrl && profile.secretRef === old.secretRef) return;
    this.#session?.restartWhenIdle('the address of the device was changed');
    this.#tryNow();
  }

  /** By hand: forgets the failures and tries now; a link that stands is looked at. */
  reconnect(): void {
    this.start();
    this.#session?.check();
    if (this.#session === undefined && this.#opening === undefined) this.#tryNow();
  }

  enqueue(order: AttemptOrder): void {
    this.#queue.put(order);
    this.#session?.wake();
  }

  withdraw(key: AttemptKey): void {
    this.#queue.withdraw(key);
  }

  /** The attempt ends as cancelled once nothing of it can come back. */
  cancel(order: AttemptOrder): void {
    if (this.#session?.carries(order)) {
      this.#session.cancel();
      return;
    }
    this.#queue.withdraw(order);
    this.#guard(this.#options.host.report(cancelledReport(order)));
  }

  refresh(): void {
    if (this.#session !== undefined) {
      this.#session.refresh();
      return;
    }
    const reason = this.#announced?.reason ?? 'there is no connection to the device';
    this.#guard(this.#options.host.tell(this.#profile.deviceId, [{ type: 'info-failed', reason }]));
  }

  /** For a device that is no more: what still waited for it fails. */
  async dismiss(reason: string): Promise<void> {
    await this.stop(reason);
    const reports = this.#queue
      .takeAll()
      .map((order) => this.#options.host.report(failedReport(order, reason, 'refused')));
    await Promise.all(reports);
  }

  #tryNow(): void {
    this.#failures = 0;
    this.#isHurried = this.#opening !== undefined;
    this.#opening?.cancel();
    this.#endPause();
  }

  #stopWhenIdle(): void {
    this.#isWanted = false;
    this.#opening?.cancel();
    this.#endPause();
    this.#session?.restartWhenIdle('the device is not to be connected');
  }

  async #run(): Promise<void> {
    const { logger } = this.#options;
    const { deviceId } = this.#profile;
    let isQuiet = false;
    try {
      while (this.#isWanted) {
        const outcome = await this.#tryOnce(isQuiet);
        if (!this.#isWanted) break;
        isQuiet = outcome.kind === 'failed' || outcome.end.cause === 'recheck';
        const delayMs = this.#isHurried ? 0 : await this.#afterwards(outcome);
        this.#isHurried = false;
        if (delayMs > 0 && this.#isWanted) await this.#pause(delayMs);
      }
      await this.#announceStatus('disconnected', this.#stopReason);
    } catch (cause) {
      // Only a writer that has ended rejects; it closes all links, so nothing is left to do here.
      logger.error('link-ended', { deviceId, reason: String(cause) });
      this.#isWanted = false;
    }
  }

  async #tryOnce(isQuiet: boolean): Promise<Outcome> {
    const { host, clock, policy, budget } = this.#options;
    const { serverUrl: shown, deviceId } = this.#profile;
    const waitMs = budget.turnMs(shown);
    if (waitMs > 0) await this.#pause(waitMs);
    const allowed = checkServerUrl(shown, policy);
    if (!allowed.ok) return { kind: 'failed', failure: 'not-allowed', reason: allowed.error };
    const url = host.serverUrl(deviceId);
    if (!url.ok) return { kind: 'failed', failure: 'not-allowed', reason: url.error };
    if (!isQuiet) await this.#announceStatus('connecting', null);

    const session = this.#newSession(url.value, isQuiet);
    this.#opening = createCancellation();
    if (!this.#isWanted) this.#opening.cancel();
    const opened = await session.open(this.#opening.cancellation);
    this.#opening = undefined;
    if (!opened.ok) {
      const failure = FAILURE_OF[opened.error.code];
      if (failure === 'unreachable') budget.failed(shown);
      else budget.answered(shown);
      return { kind: 'failed', failure, reason: redactText(opened.error.message).slice(0, REASON_LENGTH_MAX) };
    }
    budget.answered(shown);
    const sinceMs = clock.now();
    this.#session = session;
    if (!this.#isWanted) session.end({ cause: 'stopped', reason: 'no longer wanted' });
    else await session.start();
    const end = await session.ended;
    this.#session = undefined;
    return { kind: 'ended', end, heldMs: clock.now() - sinceMs };
  }

  #newSession(url: string, isQuiet: boolean): LinkSession {
    const { clock, logger, host, timing, policy, random, installation, createTransport, createEndpoint } =
      this.#options;
    const { deviceId, serverUrl: shown } = this.#profile;
    const lookup = createGuardedLookup(shown, policy);
    return new LinkSession({
      deviceId,
      clock,
      logger,
      host,
      timing,
      queue: this.#queue,
      announce: (facts) => this.#announce(isQuiet ? facts.filter(isWorthTelling) : facts),
      createEndpoint: (onSignal) =>
        createEndpoint({
          createTransport: () => createTransport(url, lookup),
          onConnected: async () => {
            if (!isQuiet) await this.#announceStatus('registering', null);
          },
          clock,
          random,
          logger,
          clientId: `orrery-${installation}-${random.hex(4)}@${deviceId}`,
          targetId: deviceId,
          taskName: 'orrery',
          extensions: EXTENSIONS,
          timing,
          onSignal,
        }),
    });
  }

  /** @returns how long to wait before the next try */
  async #afterwards(outcome: Outcome): Promise<number> {
    const { random, timing } = this.#options;
    if (outcome.kind === 'ended') {
      const { end, heldMs } = outcome;
      if (heldMs >= timing.stableMs) this.#failures = 0;
      if (end.cause !== 'closed') return 0;
    }
    const failure = outcome.kind === 'failed' ? outcome.failure : 'unreachable';
    this.#failures = failure === this.#lastFailure ? this.#failures + 1 : 1;
    this.#lastFailure = failure;
    const reason = outcome.kind === 'failed' ? outcome.reason : outcome.end.reason;
    const { maxRetries } = this.#profile;
    const next = nextTry({ failure, failures: this.#failures, maxRetries, fraction: random.fraction() });
    await this.#announceStatus(next.status, reason);
    return next.delayMs;
  }

  #announceStatus(word: DeviceStatus, reason: string | null): Promise<void> {
    return this.#announce([{ type: 'status', status: word, reason, connectionAttempts: this.#failures }]);
  }

  /** A status is told when it changes, not when it is found again. */
  async #announce(facts: readonly DeviceFact[]): Promise<void> {
    const news = facts.filter((fact) => fact.type !== 'status' || this.#isNews(fact));
    if (news.length > 0) await this.#options.host.tell(this.#profile.deviceId, news);
  }

  #isNews({ status, reason }: Extract<DeviceFact, { type: 'status' }>): boolean {
    if (this.#announced?.status === status && this.#announced.reason === reason) return false;
    this.#announced = { status, reason };
    const { logger } = this.#options;
    const { deviceId } = this.#profile;
    logger[LIFE_AND_DEATH.has(status) ? 'info' : 'debug']('device-status', { deviceId, status, reason });
    return true;
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(delayMs, resolve);
      this.#endPause = () => {
        stop();
        resolve();
      };
    });
  }

  #guard(promise: Promise<unknown>): void {
    const { logger } = this.#options;
    const { deviceId } = this.#profile;
    promise.catch((cause: unknown) => logger.error('link-report-failed', { deviceId, reason: String(cause) }));
  }
}

/** On a quiet try only the end of the road is news: `idle`, `busy`, or that it failed. */
function isWorthTelling(fact: DeviceFact): boolean {
  return fact.type !== 'status' || fact.status === 'idle' || fact.status === 'busy';
}
