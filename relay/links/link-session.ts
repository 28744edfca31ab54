import type { ConstellationConnection, LinkSignal, OpenFailure } from '@/lib/aip/endpoints/constellation-types';
import { isUnwritable } from '@/lib/aip/protocol/aip-protocol';
import { afterReading } from '@/lib/aip/resilience/patient-timer';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { RunReport } from '@/lib/run/commands';
import { assertNever } from '@/lib/std/assert-never';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import type { Result } from '@/lib/std/result';
import { type AttemptKey, type AttemptQueue, isSameAttempt } from './attempt-queue';
import { Flight, type SessionEnd } from './flight';
import type { AttemptOrder, DeviceFact, LinkHost } from './link-host';
import { ABSENT, type InfoPurpose, LinkInformation } from './link-information';
import type { LinkTiming } from './link-timing';
import { cancelledReport, closeReason, endedReport, failedReport } from './translate';

export type LinkSessionOptions = {
  readonly deviceId: DeviceId;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly host: LinkHost;
  readonly queue: AttemptQueue;
  readonly timing: LinkTiming;
  readonly createEndpoint: (onSignal: (signal: LinkSignal) => Promise<void>) => ConstellationConnection;
  /** Status and work, told in the order of happening. */
  readonly announce: (facts: readonly DeviceFact[]) => Promise<void>;
};

/** Of the connection as a whole; only a ready one takes from its queue. */
type State =
  | { readonly phase: 'looking' }
  | { readonly phase: 'ready' }
  | { readonly phase: 'ending'; readonly end: SessionEnd }
  | { readonly phase: 'over' };

const FINISHED_KEPT_MAX = 64;

/**
 * One registered connection to a device's server, from registration to its end.
 *
 * ```
 * opening ──► probing ──► idle ──► journaling ──► sent ──► accepted
 *                │  ▲       ▲                       │          │
 *                │  └───────┼──── failed, refused ──┴──────────┤
 *                │          └──────────── completed ───────────┘
 *                └──► ended, from anywhere: closed, cancelled, timed out, gone
 * ```
 * At most one attempt is under way. The server ends its sessions when the connection closes, so with an attempt under way
 * only a cancel or its timeout closes it, and only where the server does not end single tasks (flight.ts).
 */
export class LinkSession {
  readonly ended: Promise<SessionEnd>;
  readonly #options: LinkSessionOptions;
  readonly #endpoint: ConstellationConnection;
  readonly #timers: CancelTimer[] = [];
  readonly #finished = new Map<string, AttemptOrder>();
  #resolveEnded: (end: SessionEnd) => void = () => {};
  readonly #information: LinkInformation;
  #flight: Flight | undefined;
  #state: State = { phase: 'looking' };
  #restartWhenIdle: string | undefined;

  constructor(options: LinkSessionOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#endpoint = options.createEndpoint((signal) => this.#onSignal(signal));
    const { clock, announce } = options;
    this.#information = new LinkInformation({ clock, announce, endpoint: this.#endpoint });
  }

  open(cancellation: Cancellation): Promise<Result<unknown, OpenFailure>> {
    return this.#endpoint.open(cancellation);
  }

  /** Begins work once the registration was confirmed: looks whether the device is there, then takes from its queue. */
  async start(): Promise<void> {
    const { clock, timing } = this.#options;
    this.#timers.push(clock.every(timing.presenceMs, () => this.#watchPresence()));
    await this.#options.announce([status('connected')]);
    await this.#askInfo('connect');
    this.#ready();
  }

  /** Something may have come into the queue. */
  wake(): void {
    this.#pump();
  }

  /** Brings what the device says now; the answer is told as a fact. */
  refresh(): void {
    this.#information.wantRefresh();
    this.#refreshIfFree();
  }

  check(): void {
    this.#watchPresence();
  }

  carries(key: AttemptKey): boolean {
    return this.#flight !== undefined && isSameAttempt(this.#flight.order, key);
  }

  /** Ends the attempt under way. What was not sent yet is simply dropped. */
  cancel(): void {
    const flight = this.#flight;
    if (flight === undefined) return;
    if (flight.phase === 'journaling') {
      this.#landAndGoOn(cancelledReport(flight.order));
      return;
    }
    flight.cancel();
  }

  /** Closes for a new address or the like, as soon as no attempt is under way. */
  restartWhenIdle(reason: string): void {
    this.#restartWhenIdle = reason;
    this.#next();
  }

  /** Closes the connection; it counts as ended when the close is confirmed, or after a while. */
  end(end: SessionEnd): void {
    if (!this.#isOpen()) return;
    this.#state = { phase: 'ending', end };
    const { clock, timing, logger, deviceId } = this.#options;
    this.#timers.push(clock.after(timing.closeMs, () => this.#finish(1006, 'the close was not confirmed')));
    this.#endpoint.close(1000, end.reason).then(
      () => this.#finish(1000, end.reason),
      (cause: unknown) => logger.warn('link-close-failed', { deviceId, reason: String(cause) }),
    );
  }

  #isOpen(): boolean {
    return this.#state.phase === 'looking' || this.#state.phase === 'ready';
  }

  #isFree(): boolean {
    return this.#state.phase === 'ready' && this.#flight === undefined && !this.#information.isAsking;
  }

  /** The device was found, or at least nobody says that it is gone. */
  #ready(): void {
    if (!this.#isOpen()) return;
    this.#state = { phase: 'ready' };
    this.#next();
  }

  #pump(): void {
    if (!this.#isFree()) return;
    const order = this.#options.queue.take();
    if (order === undefined) {
      this.#options.announce([status('idle')]).catch((cause: unknown) => this.#broken('idle', cause));
      return;
    }
    const { clock, timing } = this.#options;
    const closeLink = (end: SessionEnd) => this.end(end);
    const flight = new Flight({ order, clock, timing, endpoint: this.#endpoint, closeLink });
    this.#flight = flight;
    this.#send(flight).catch((cause: unknown) => this.#broken('send', cause));
  }

  /** `sending` is on disk before a byte leaves, so after a crash a queued attempt is certainly unsent. */
  async #send(flight: Flight): Promise<void> {
    const { host, announce, clock, timing, logger, deviceId } = this.#options;
    const { order } = flight;
    const { runId, taskId, attempt } = order;
    const verdict = await host.report({ type: 'attempt-sending', runId, taskId, attempt });
    if (this.#flight !== flight) return;
    if (!verdict.ok) {
      this.#flight = undefined;
      this.#next();
      return;
    }
    flight.phase = 'sent';
    const told = announce([status('busy'), { type: 'work', currentTask: { runId, taskId } }]);
    flight.hold(
      afterReading(clock, flight.patienceMs, () => flight.timeOut()),
      clock.after(timing.admissionMs, () => this.#warnUnanswered(flight)),
    );
    host.outputBegins(order, this.#endpoint.extensions.includes('log'));
    const { sessionId, taskName, request } = order;
    const timeoutSeconds = order.timeoutMs / 1_000;
    const sent = await this.#endpoint.sendTask({ sessionId, taskName, request, timeoutSeconds });
    if (!sent.ok && isUnwritable(sent.error) && this.#flight === flight) {
      this.#landAndGoOn(failedReport(order, sent.error.message, 'refused'));
    } else if (!sent.ok) {
      logger.warn('task-not-sent', { deviceId, runId, taskId, attempt, reason: sent.error.message });
    }
    await told;
  }

  #warnUnanswered(flight: Flight): void {
    if (flight.phase === 'accepted') return;
    const { logger, deviceId, timing } = this.#options;
    const { runId, taskId, attempt } = flight.order;
    logger.warn('task-not-acknowledged', { deviceId, runId, taskId, attempt, afterMs: timing.admissionMs });
    this.#failRefresh('the device server has not acknowledged its task yet; ask again later');
  }

  async #onSignal(signal: LinkSignal): Promise<void> {
    const { host, deviceId, announce, clock } = this.#options;
    switch (signal.kind) {
      case 'heard':
        return host.heard(deviceId, signal.atMs);
      case 'task-accepted':
        return this.#onAccepted(signal.sessionId);
      case 'task-ended':
        return this.#onTaskEnded(signal);
      case 'task-unreadable':
        return this.#onUnreadable(signal);
      case 'refused':
        return this.#onRefused(signal.message);
      case 'info-pushed':
        return announce([{ type: 'info', info: signal.info, fresh: true, askedAtMs: clock.now() }]);
      case 'log':
        return this.#onLog(signal);
      case 'closed':
        return this.#finish(signal.code, signal.reason);
      default:
        return assertNever(signal);
    }
  }

  async #onAccepted(sessionId: string): Promise<void> {
    const flight = this.#flight;
    if (flight === undefined || flight.order.sessionId !== sessionId) return this.#foreign('task-accepted', sessionId);
    flight.phase = 'accepted';
    const { runId, taskId, attempt } = flight.order;
    this.#refreshIfFree();
    await this.#options.host.report({ type: 'attempt-accepted', runId, taskId, attempt });
  }

  #onLog({ sessionId, messages }: Extract<LinkSignal, { kind: 'log' }>): void {
    const order = this.#flight?.order;
    if (order?.sessionId !== sessionId) this.#foreign('log', sessionId);
    else this.#options.host.output(order, messages);
  }

  async #onTaskEnded(signal: Extract<LinkSignal, { kind: 'task-ended' }>): Promise<void> {
    const { host } = this.#options;
    const flight = this.#flight;
    if (flight === undefined || flight.order.sessionId !== signal.sessionId) {
      const finished = this.#finished.get(signal.sessionId);
      if (finished === undefined) return this.#foreign('task-ended', signal.sessionId);
      await host.report(endedReport(finished, signal, (value) => host.keepResult(value)));
      return;
    }
    const report = flight.endReport(signal, (value) => host.keepResult(value));
    await this.#settle(report, report.outcome === 'failed' ? 'look-first' : 'go-on');
  }

  /** The task is over on the device, so its time limit has nothing left to wait for. */
  async #onUnreadable({ sessionId, message }: Extract<LinkSignal, { kind: 'task-unreadable' }>): Promise<void> {
    const flight = this.#flight;
    if (flight === undefined || flight.order.sessionId !== sessionId)
      return this.#foreign('task-unreadable', sessionId);
    const error = `The task has ended, but what the device server says of it cannot be read: ${message}`;
    await this.#settle(failedReport(flight.order, error, 'device'), 'look-first');
  }

  /** The wire does not say what was refused; after a TASK and before its acknowledgement it can only be the TASK. */
  async #onRefused(message: string): Promise<void> {
    const flight = this.#flight;
    if (flight?.phase !== 'sent') {
      const { logger, deviceId } = this.#options;
      logger.warn('server-refused', { deviceId, reason: message });
      return;
    }
    await this.#settle(
      failedReport(flight.order, `The device server refused the task: ${message}`, 'refused'),
      'look-first',
    );
  }

  /** After a failure the device may be gone, so it is looked for before the next task goes out. */
  async #settle(report: RunReport, then: 'go-on' | 'look-first'): Promise<void> {
    const landed = this.#land(report);
    if (then === 'go-on') this.#next();
    else this.#lookThenNext();
    await landed;
  }

  #landAndGoOn(report: RunReport): void {
    this.#settle(report, 'go-on').catch((cause: unknown) => this.#broken('settle', cause));
  }

  #lookThenNext(): void {
    if (this.#isOpen()) this.#state = { phase: 'looking' };
    this.#askInfo('presence')
      .then(() => this.#ready())
      .catch((cause: unknown) => this.#broken('presence', cause));
  }

  /** The attempt is no longer under way. Resolves when that is on disk. */
  async #land(report: RunReport): Promise<void> {
    const flight = this.#flight;
    if (flight === undefined) return;
    this.#flight = undefined;
    flight.land();
    this.#finished.set(flight.order.sessionId, flight.order);
    for (const oldest of this.#finished.keys()) {
      if (this.#finished.size <= FINISHED_KEPT_MAX) break;
      this.#finished.delete(oldest);
    }
    const { host, announce } = this.#options;
    await Promise.all([host.report(report), announce([{ type: 'work', currentTask: null }])]);
  }

  #next(): void {
    if (this.#restartWhenIdle !== undefined && this.#flight === undefined) {
      this.end({ cause: 'restart', reason: this.#restartWhenIdle });
      return;
    }
    this.#refreshIfFree();
    this.#pump();
  }

  #watchPresence(): void {
    if (!this.#isFree()) return;
    this.#askInfo('presence')
      .then(() => this.#next())
      .catch((cause: unknown) => this.#broken('presence', cause));
  }

  /** An ERROR between a TASK and its acknowledgement must mean the TASK, so nothing else is asked in between. */
  #refreshIfFree(): void {
    if (!this.#information.isRefreshWanted || !this.#isOpen()) return;
    if (this.#flight !== undefined && this.#flight.phase !== 'accepted') return;
    this.#askInfo('refresh')
      .then(() => this.#next())
      .catch((cause: unknown) => this.#broken('refresh', cause));
  }

  async #askInfo(purpose: InfoPurpose): Promise<void> {
    const found = await (purpose === 'refresh' ? this.#information.refresh() : this.#information.ask(purpose));
    if (found === 'gone' && this.#flight === undefined) this.end({ cause: 'recheck', reason: ABSENT });
  }

  #foreign(what: string, sessionId: string): void {
    const { logger, deviceId } = this.#options;
    logger.warn('foreign-session', { deviceId, frame: what, sessionId: sessionId.slice(0, 128) });
  }

  /** A fault of ours while a link works: the connection is not trusted any further. */
  #broken(what: string, cause: unknown): void {
    const { logger, deviceId } = this.#options;
    logger.error('link-broken', { deviceId, during: what, reason: String(cause) });
    this.end({ cause: 'closed', reason: 'an error in the relay' });
  }

  #finish(code: number, reason: string): void {
    const state = this.#state;
    if (state.phase === 'over') return;
    this.#state = { phase: 'over' };
    for (const stop of this.#timers) stop();
    const end: SessionEnd =
      state.phase === 'ending' ? state.end : { cause: 'closed', reason: closeReason(code, reason) };
    const flight = this.#flight;
    if (flight !== undefined) {
      this.#land(flight.lastReport(end, code)).catch((cause: unknown) => this.#broken('close', cause));
    }
    this.#failRefresh(end.reason);
    this.#resolveEnded(end);
  }

  #failRefresh(reason: string): void {
    this.#information.failRefresh(reason).catch((cause: unknown) => this.#broken('refresh', cause));
  }
}

function status(word: 'connected' | 'idle' | 'busy'): DeviceFact {
  return { type: 'status', status: word, reason: null, connectionAttempts: 0 };
}
