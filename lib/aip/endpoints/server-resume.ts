import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { Peer } from './server-peer';
import type { Sessions } from './server-sessions';

/** Devices that were lost with work in their hands and may come back for it (extension `resume`). */
export type LostDevices = {
  /** The device may take its sessions up again within the time. */
  keep(device: Peer): void;
  /**
   * Somebody registers under an id. The right token gives back what was kept under it; without one, what was kept is lost.
   *
   * @returns the device as it was, whose sessions wait for `resume`
   */
  claim(id: string, token: string | undefined): Peer | undefined;
  /** Ends what is kept. */
  endAll(): void;
};

export function createLostDevices(options: {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly resumeMs: number;
}): LostDevices {
  const { clock, sessions, resumeMs } = options;
  const kept = new Map<string, { readonly device: Peer; readonly stopTimer: CancelTimer }>();

  function lose(id: string) {
    const entry = take(id);
    if (entry) sessions.endAllOf(entry);
  }

  function take(id: string): Peer | undefined {
    const entry = kept.get(id);
    entry?.stopTimer();
    kept.delete(id);
    return entry?.device;
  }

  return {
    keep(device) {
      lose(device.id);
      sessions.suspend(device);
      kept.set(device.id, { device, stopTimer: clock.after(resumeMs, () => lose(device.id)) });
    },
    claim(id, token) {
      const device = kept.get(id)?.device;
      if (device && isTokenOf(device, token)) return take(id);
      lose(id);
      return undefined;
    },
    endAll() {
      for (const id of [...kept.keys()]) lose(id);
    },
  };
}

/** Takes as long for a token that is nearly right as for any other. */
export function isTokenOf(device: Peer, token: string | undefined): boolean {
  if (token === undefined) return false;
  return device.resumeTokens.some((known) => isSame(known, token));
}

function isSame(known: string, given: string): boolean {
  let differences = known.length ^ given.length;
  for (let index = 0; index < known.length; index += 1) {
    differences |= known.charCodeAt(index) ^ given.charCodeAt(index % Math.max(given.length, 1));
  }
  return differences === 0;
}
