import type { Clock } from '@/lib/std/clock';

export type InfoReportsOptions = {
  readonly clock: Clock;
  /** Longest and shortest time between two reports, in milliseconds. */
  readonly infoReportMs: number;
  readonly infoPauseMs: number;
  readonly report: () => void;
};

export type InfoReports = {
  /** Something about the device is new. */
  changed(): void;
  stop(): void;
};

/**
 * When a device speaks of itself unasked. Its readings change all the time, so they go in regular reports; what it can do
 * changes seldom and goes at once, though never sooner than the pause after the report before.
 */
export function startInfoReports(options: InfoReportsOptions): InfoReports {
  const { clock, infoReportMs, infoPauseMs } = options;
  // The registration was the first report.
  let lastMs = clock.now();
  let stopTimer = clock.after(infoReportMs, send);

  function send() {
    lastMs = clock.now();
    stopTimer = clock.after(infoReportMs, send);
    options.report();
  }

  return {
    changed() {
      stopTimer();
      const pauseLeftMs = Math.min(Math.max(lastMs + infoPauseMs - clock.now(), 0), infoPauseMs);
      stopTimer = clock.after(pauseLeftMs, send);
    },
    stop: () => stopTimer(),
  };
}
