import { CONSTELLATION_ENDPOINT_TIMERS, CONSTELLATION_TIMERS } from '@/lib/aip/resilience/timer-defaults';

/** Numbers of a device link, in milliseconds: those of its endpoint, and what the relay adds. */
export const LINK_TIMING = {
  ...CONSTELLATION_TIMERS,
  connectMs: 10_000,
  /** How often an idle device is asked for, so that one that is gone shows within a minute. */
  presenceMs: 20_000,
  /** A server that has not taken a task by then is worth a line in the log; the task's own timeout ends it. */
  admissionMs: 15_000,
  /** A close that nobody confirms counts as confirmed. */
  closeMs: 10_000,
  /** How long a server that agreed to `cancel` may take to end a task; then the connection is closed under it. */
  cancelMs: CONSTELLATION_ENDPOINT_TIMERS.cancelMs,
  /** What a server that agreed to `deadline` gets on top of a task's timeout, to say itself that it is over. */
  deadlineGraceMs: CONSTELLATION_ENDPOINT_TIMERS.deadlineGraceMs,
  /** A connection that held this long forgets the failures before it. */
  stableMs: 60_000,
} as const;

export type LinkTiming = { readonly [Name in keyof typeof LINK_TIMING]: number };
