import type { ConstellationConnection } from '@/lib/aip/endpoints/constellation-types';
import type { Clock } from '@/lib/std/clock';
import type { DeviceFact } from './link-host';

/** Why a device is asked. `presence` only looks whether it is there. */
export type InfoPurpose = 'connect' | 'presence' | 'refresh';

export const ABSENT = 'the device is not connected to its server';

export type LinkInformationOptions = {
  readonly clock: Pick<Clock, 'now'>;
  readonly endpoint: Pick<ConstellationConnection, 'requestDeviceInfo'>;
  readonly announce: (facts: readonly DeviceFact[]) => Promise<void>;
};

/** What one connection asks its device about itself, and the refresh that somebody waits for. */
export class LinkInformation {
  readonly #options: LinkInformationOptions;
  #openRequests = 0;
  #isRefreshWanted = false;

  constructor(options: LinkInformationOptions) {
    this.#options = options;
  }

  get isAsking(): boolean {
    return this.#openRequests > 0;
  }

  get isRefreshWanted(): boolean {
    return this.#isRefreshWanted;
  }

  wantRefresh(): void {
    this.#isRefreshWanted = true;
  }

  /** A refresh that is wanted is asked for at most once, however many wait for it. */
  async refresh(): Promise<'there' | 'gone'> {
    this.#isRefreshWanted = false;
    return this.ask('refresh');
  }

  /** Whoever waits for a refresh learns why there is none; nothing is told when nobody does. */
  async failRefresh(reason: string): Promise<void> {
    if (!this.#isRefreshWanted) return;
    this.#isRefreshWanted = false;
    await this.#options.announce([{ type: 'info-failed', reason }]);
  }

  /** @returns `gone` when the server says that it does not have the device any more */
  async ask(purpose: InfoPurpose): Promise<'there' | 'gone'> {
    const { clock, endpoint, announce } = this.#options;
    const askedAtMs = clock.now();
    this.#openRequests += 1;
    const answer = await endpoint.requestDeviceInfo();
    this.#openRequests -= 1;
    if (answer.ok) {
      if (purpose !== 'presence') {
        await announce([{ type: 'info', info: answer.info, fresh: answer.fresh, askedAtMs }]);
      }
      return 'there';
    }
    if (purpose === 'refresh') {
      const reason = answer.reason === 'unknown-device' ? ABSENT : answer.message;
      await announce([{ type: 'info-failed', reason }]);
    }
    // Right after a registration, which names the device, the same answer only means that it has told nothing yet.
    return answer.reason === 'unknown-device' && purpose !== 'connect' ? 'gone' : 'there';
  }
}
