/**
 * The numbers of the stock implementation, in milliseconds. Ours start from them where they differ for a reason.
 *
 * @see microsoft/UFO, aip/resilience and galaxy/client
 */
export const STOCK_TIMERS = {
  heartbeatMs: 30_000,
  operationMs: 120_000,
  registerMs: 30_000,
  infoMs: 10_000,
  taskMs: 1_000_000,
  commandMs: 6_000_000,
  reconnectMs: 5_000,
} as const;

/** A constellation's link: dead peers are noticed within a minute, so beats are a third of that. */
export const CONSTELLATION_TIMERS = {
  heartbeatMs: 20_000,
  deadAfterMs: 60_000,
  registerMs: 10_000,
  infoMs: STOCK_TIMERS.infoMs,
} as const;

export const DEVICE_SERVER_TIMERS = {
  registerMs: 30_000,
  commandMs: STOCK_TIMERS.commandMs,
  infoMs: STOCK_TIMERS.infoMs,
} as const;

export const DEVICE_CLIENT_TIMERS = {
  heartbeatMs: 25_000,
  deadAfterMs: 75_000,
  registerMs: STOCK_TIMERS.registerMs,
  infoReportMs: 60_000,
  reconnectInitialMs: 1_000,
  reconnectMaxMs: 60_000,
  reconnectFloorMs: 500,
  unauthorizedMs: 60_000,
} as const;
