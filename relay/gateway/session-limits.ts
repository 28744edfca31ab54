/** Numbers of one connection. @see PROTOCOL.md, which tells them to whoever writes a client */
export const SESSION_LIMITS = {
  streamsMax: 64,
  /** Below this much in the socket more is read from the log. */
  lowWaterBytes: 64 * 1024,
  unackedEventsMax: 256,
  /** A reader that has work waiting and does not move for so long is cut. */
  stalledMs: 15_000,
  /** How often silence and stalls are looked for. */
  checkEveryMs: 5_000,
  frames: { burst: 256, perSecond: 25.6 },
  /** Frames beyond the rate that are still served after the warning. */
  framesDebtMax: 64,
  controlFrames: { burst: 10, perSecond: 1 },
  /** A close that the other side does not answer is made final. */
  closeMs: 2_000,
} as const;
