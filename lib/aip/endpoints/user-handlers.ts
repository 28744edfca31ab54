import type { Received } from '@/lib/aip/protocol/aip-protocol';

/** What a user hung into an endpoint, behind the endpoint's own work. */
export type UserHandlers<Incoming> = {
  /** Resolves at once, or when there is room again; a frame of a custom type is waited for, as nobody else reads it. */
  run(received: Received<Incoming>): Promise<void>;
  /** Whether the peer is held back because the handlers are behind. */
  readonly isFull: boolean;
};

/** Beyond so many frames that the handlers are behind, the peer is held back. */
const BEHIND_MAX = 100;

/** Runs handlers in the order of the frames, without keeping the endpoint from reading on. */
export function createUserHandlers<Incoming>(
  dispatch: (received: Received<Incoming>) => Promise<unknown>,
): UserHandlers<Incoming> {
  let behind = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get isFull() {
      return behind > BEHIND_MAX;
    },
    async run(received) {
      behind += 1;
      last = last
        .then(() => dispatch(received))
        .finally(() => {
          behind -= 1;
        });
      if (received.kind === 'custom' || behind > BEHIND_MAX) await last;
    },
  };
}
