import type { ConstellationConnection, LinkSignal } from '@/lib/aip/endpoints/constellation-types';
import type { RunReport } from '@/lib/run/commands';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import { isJsonObject, type JsonValue } from '@/lib/std/json';
import type { AttemptOrder, LinkHost } from './link-host';
import type { LinkTiming } from './link-timing';
import { cancelledReport, type EndReport, endedReport, failedReport, lostReport } from './translate';

/** Why a connection ended. `recheck`: the device may be gone from its server, which a new registration will tell. */
export type SessionEndCause = 'closed' | 'cancelled' | 'timed-out' | 'recheck' | 'restart' | 'stopped';
export type SessionEnd = { readonly cause: SessionEndCause; readonly reason: string };

export type FlightOptions = {
  readonly order: AttemptOrder;
  readonly clock: Clock;
  readonly timing: Pick<LinkTiming, 'cancelMs' | 'deadlineGraceMs'>;
  readonly endpoint: Pick<ConstellationConnection, 'cancelTask' | 'extensions'>;
  /** The attempt cannot be ended by itself, so its connection must end. */
  readonly closeLink: (end: SessionEnd) => void;
};

type Stop = SessionEnd & { readonly cause: 'cancelled' | 'timed-out' };

/**
 * The attempt that a connection carries, and how it is stopped. Until `sent`, nothing of it has left the relay.
 *
 * A server that agreed to `cancel` ends the one task, which it confirms like any other end. For any other server the
 * connection is closed, since it ends its sessions with it.
 */
export class Flight {
  phase: 'journaling' | 'sent' | 'accepted' = 'journaling';
  readonly order: AttemptOrder;
  readonly #options: FlightOptions;
  readonly #timers: CancelTimer[] = [];
  #stop: Stop | undefined;
  #isOver = false;

  constructor(options: FlightOptions) {
    this.#options = options;
    this.order = options.order;
  }

  /** How long until the relay itself gives the attempt up; a server that keeps the deadline is given the time to say so. */
  get patienceMs(): number {
    const { endpoint, timing } = this.#options;
    return this.order.timeoutMs + (endpoint.extensions.includes('deadline') ? timing.deadlineGraceMs : 0);
  }

  /** Timers end with the flight. */
  hold(...timers: readonly CancelTimer[]): void {
    if (this.#isOver) for (const stop of timers) stop();
    else this.#timers.push(...timers);
  }

  /** May be called again while the device is being waited for: it is asked once, and a person's word stands. */
  cancel(): void {
    this.#end({ cause: 'cancelled', reason: 'the task was cancelled' });
  }

  timeOut(): void {
    this.#end({ cause: 'timed-out', reason: `no result within ${this.order.timeoutMs / 1_000} s` });
  }

  land(): void {
    this.#isOver = true;
    for (const stop of this.#timers.splice(0)) stop();
  }

  /** What the end that the device server told means for the attempt. A task that was faster than its stop is completed. */
  endReport(signal: Extract<LinkSignal, { kind: 'task-ended' }>, keepResult: LinkHost['keepResult']): EndReport {
    const report = endedReport(this.order, signal, keepResult);
    if (report.outcome === 'completed') return report;
    if (this.#stop?.cause === 'cancelled') return cancelledReport(this.order);
    const isOverTime = this.#stop?.cause === 'timed-out' || this.#isDeadlineKept(signal.result);
    return isOverTime ? { ...report, cause: 'timeout' } : report;
  }

  /** What the end of the connection means for it. */
  lastReport(end: SessionEnd, code: number): RunReport {
    const { order } = this;
    const { cause, reason } = this.#stop ?? end;
    if (cause === 'cancelled') return cancelledReport(order);
    if (cause === 'timed-out') {
      const error = `The task was given up: ${reason}; the device may still finish its current command`;
      return failedReport(order, error, 'timeout');
    }
    if (code === 1009) {
      return failedReport(order, 'result too large: it is over the limit for one message of this relay', 'too-large');
    }
    if (this.phase === 'journaling') return lostReport(order, `${reason}, just before the task was sent`);
    return lostReport(order, reason);
  }

  /** Whether the server says that it ended the task for its time; one that did not agree to that has no such word. */
  #isDeadlineKept(result: JsonValue | undefined): boolean {
    if (!this.#options.endpoint.extensions.includes('deadline')) return false;
    return result !== undefined && isJsonObject(result) && result.error_type === 'timeout';
  }

  #end(stop: Stop): void {
    if (this.#isOver) return;
    const isAsked = this.#stop !== undefined;
    if (!isAsked || stop.cause === 'cancelled') this.#stop = stop;
    if (isAsked) return;
    const { clock, endpoint, timing, closeLink } = this.#options;
    const close = () => {
      if (!this.#isOver) closeLink(this.#stop ?? stop);
    };
    if (!endpoint.extensions.includes('cancel')) {
      close();
      return;
    }
    this.hold(clock.after(timing.cancelMs, close));
    endpoint.cancelTask(this.order.sessionId).then((sent) => {
      if (!sent.ok) close();
    }, close);
  }
}
