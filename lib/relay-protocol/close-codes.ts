/** What a page does after a close. */
export type CloseAdvice = 'stop' | 'retry' | 'retry-soon';

/** Close codes of ours: what happened, and whether to come back. 4000-4099 stop, 4100-4199 retry, 4200-4299 retry soon. */
export const CLOSE = {
  protocolError: 4001,
  versionNotSupported: 4002,
  forbidden: 4003,
  tooManyConnections: 4008,
  superseded: 4009,
  sessionEnded: 4010,
  overCapacity: 4100,
  tooSlow: 4108,
  rateLimited: 4129,
  draining: 4200,
  noPong: 4201,
  resync: 4202,
  ticketExpired: 4240,
} as const;

/** Codes that are not ours (or not numbers, as partysocket gives for closes of its own making) count as a lost network. */
export function closeAdvice(code: unknown): CloseAdvice {
  if (typeof code !== 'number') return 'retry';
  if (code >= 4000 && code < 4100) return 'stop';
  if (code >= 4200 && code < 4300) return 'retry-soon';
  return 'retry';
}
