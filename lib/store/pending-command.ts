import type { Command } from '@/lib/relay-protocol/commands';
import type { Position } from '@/lib/relay-protocol/streams';

/** A command on its way: shown as a mark beside the state, never as a state of its own. */
export type PendingCommand = {
  readonly command: Command;
  /** Positions that the relay wrote for it; the mark goes when the copy has reached them all. */
  readonly awaiting: readonly Position[] | null;
};
