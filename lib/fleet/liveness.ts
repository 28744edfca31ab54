/** When silence means something. Milliseconds. */
export type LivenessPolicy = {
  /** How often something is expected. */
  readonly intervalMs: number;
  /** So many intervals without a sign, and nobody is there. */
  readonly missesMax: number;
};

/** A sign every 20 s, given up after 60 s: nothing on the way to a device keeps a silent connection open for less. */
export const DEVICE_LIVENESS: LivenessPolicy = { intervalMs: 20_000, missesMax: 3 };

export type Liveness = 'alive' | 'late' | 'lost';

/**
 * Says whether a silent device still counts as alive.
 *
 * @param silenceMs - since its last message of any kind; clocks that went backwards count as 0
 * @returns `late` once a sign was missed, `lost` after `policy.missesMax` of them
 */
export function livenessOf(silenceMs: number, policy: LivenessPolicy): Liveness {
  if (silenceMs >= policy.intervalMs * policy.missesMax) return 'lost';
  return silenceMs > policy.intervalMs ? 'late' : 'alive';
}
