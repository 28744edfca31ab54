/**
 * Numbers of the browser link, in milliseconds and bytes.
 *
 * A page answers pings from its message handler, since hidden tabs slow timers down to one a minute.
 */
export const BROWSER_TIMING = {
  helloMs: 5_000,
  pingEveryMs: 20_000,
  pageGivesUpMs: 35_000,
  relayGivesUpMs: 45_000,
  positionEveryMs: 15_000,
} as const;

export const FRAME_BYTES_MAX = 65_536;
export const SNAPSHOT_PART_BYTES_MAX = 65_536;
export const FRAME_DEPTH_MAX = 64;
export const COMMANDS_UNANSWERED_MAX = 64;
/** Commands of one connection: `burst` at once, `perSecond` in the long run. */
export const COMMAND_RATE = { burst: 60, perSecond: 3 } as const;
