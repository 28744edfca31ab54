import type { ClientMessage } from '@/lib/aip/messages';
import type { SendFailure } from '@/lib/aip/protocol/aip-protocol';
import type { Result } from '@/lib/std/result';

export type SayFailure = {
  readonly code: SendFailure['code'] | 'unwritable';
  readonly message: string;
};
export type Said = Result<null, SayFailure>;

/** The registered connection of a device, as what speaks over it sees it. */
export type DeviceOutlet = {
  /** What the server agreed to: no frame of another extension may go out. */
  readonly extensions: readonly string[];
  /** Never rejects: what is no message after all is `unwritable`. */
  say(message: ClientMessage): Promise<Said>;
};
