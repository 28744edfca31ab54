import type { Position } from '@/lib/relay-protocol/streams';
import type { Refusal } from '@/lib/run/commands';

/**
 * How a command ended, as far as this page knows. `unsent` never left; `unknown` left, and no answer came in time: what
 * happened is to be seen on the screen.
 */
export type CommandVerdict =
  | { readonly status: 'accepted'; readonly positions: readonly Position[] }
  | { readonly status: 'duplicate'; readonly positions: readonly Position[] }
  | { readonly status: 'rejected'; readonly refusal: Refusal }
  | { readonly status: 'unsent'; readonly why: 'offline' | 'too-many' }
  | { readonly status: 'unknown' };
