/**
 * The numbers of the stock implementation, in milliseconds. Ours start from them where they differ for a reason.
 *
 * @see microsoft/UFO, aip/resilience, galaxy/client, ufo/client and ufo/server
 */
export const STOCK_TIMERS = {
  /** Of the library and of a constellation, whose first one comes at once. */
  heartbeatMs: 30_000,
  /** Of the stock device client; its first one comes after as long. */
  deviceHeartbeatMs: 120_000,
  operationMs: 120_000,
  connectMs: 10_000,
  registerMs: 30_000,
  infoMs: 10_000,
  /** A task that a constellation gives without saying how long it may take. */
  taskMs: 1_000_000,
  /** The same, for a bare task request of the library's data model. */
  taskRequestMs: 300_000,
  commandMs: 6_000_000,
  toolMs: 6_000_000,
  /** What a session that is being cancelled gets to end by itself. */
  cancelGraceMs: 2_000,
  /** Between two tries of a constellation, which does not wait longer each time. */
  reconnectMs: 5_000,
} as const;

/** Tries in a row before a stock program gives up. */
export const STOCK_RETRIES = { deviceClient: 3, deviceClientProgram: 5, constellation: 5 } as const;

/** How a socket watches its peer and ends. `undefined`: its web server decides. */
export type SocketDefaults = {
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  readonly closeTimeoutMs: number | undefined;
};

/** The sockets of the stock programs, and of the endpoints of the stock library, which its programs do not use. */
export const STOCK_SOCKETS = {
  deviceServer: { pingIntervalMs: 20_000, pingTimeoutMs: 20_000, closeTimeoutMs: undefined },
  deviceClient: { pingIntervalMs: 20_000, pingTimeoutMs: 180_000, closeTimeoutMs: 10_000 },
  constellation: { pingIntervalMs: 30_000, pingTimeoutMs: 180_000, closeTimeoutMs: 10_000 },
  library: { pingIntervalMs: 30_000, pingTimeoutMs: 180_000, closeTimeoutMs: 10_000 },
  constellationEndpoint: { pingIntervalMs: 30_000, pingTimeoutMs: 30_000, closeTimeoutMs: 10_000 },
  deviceClientEndpoint: { pingIntervalMs: 20_000, pingTimeoutMs: 180_000, closeTimeoutMs: 10_000 },
} as const satisfies { readonly [endpoint: string]: SocketDefaults };

export const STOCK_SIZES = { messageBytesMax: 104_857_600, fileChunkBytes: 1_048_576 } as const;

/** A constellation's link: dead peers are noticed within a minute, so beats are a third of that. */
export const CONSTELLATION_TIMERS = {
  heartbeatMs: 20_000,
  deadAfterMs: 60_000,
  registerMs: 10_000,
  infoMs: STOCK_TIMERS.infoMs,
  operationMs: STOCK_TIMERS.operationMs,
} as const;

/** What an endpoint for many devices adds to the numbers of its links. */
export const CONSTELLATION_ENDPOINT_TIMERS = {
  taskMs: STOCK_TIMERS.taskMs,
  deadlineGraceMs: 5_000,
  cancelMs: 10_000,
  unauthorizedMs: 60_000,
  refusedPatienceMs: 60_000,
} as const;

export const DEVICE_SERVER_TIMERS = {
  registerMs: 30_000,
  commandMs: STOCK_TIMERS.commandMs,
  infoMs: STOCK_TIMERS.infoMs,
  operationMs: STOCK_TIMERS.operationMs,
  resumeMs: 15_000,
  deadlineGraceMs: 2_000,
} as const;

export const DEVICE_CLIENT_TIMERS = {
  heartbeatMs: 25_000,
  deadAfterMs: 75_000,
  registerMs: STOCK_TIMERS.registerMs,
  infoReportMs: 60_000,
  infoPauseMs: 5_000,
  unauthorizedMs: 60_000,
  refusedPatienceMs: 60_000,
  resumeMs: 15_000,
  operationMs: STOCK_TIMERS.operationMs,
  toolMs: STOCK_TIMERS.toolMs,
} as const;
