import type { ServerMessage } from '@/lib/aip/messages';
import { decodeFrame } from '@/lib/aip/transport/inbox';
import { FrameError } from '@/lib/aip/transport/transport';
import { assertNever } from '@/lib/std/assert-never';
import type { Received } from './aip-protocol';
import type { ClientProtocol } from './client-protocol';

type FromServer = Received<ServerMessage>;

/** A frame of a server that goes no further than its reader. */
export type UnreadableFrame = Exclude<FromServer, { kind: 'message' | 'custom' | 'closed' }>;

/** Servers should send text; JSON in a binary frame is read all the same, as stock clients do. */
export async function asText(protocol: ClientProtocol, received: FromServer): Promise<FromServer> {
  if (received.kind !== 'binary') return received;
  try {
    return await protocol.read(decodeFrame(received.bytes));
  } catch (cause) {
    if (!(cause instanceof FrameError)) throw cause;
    return received;
  }
}

/** Why a frame goes no further; repeats no payload. */
export function unreadableBecause(frame: UnreadableFrame): string {
  switch (frame.kind) {
    case 'malformed':
      return frame.error.message;
    case 'refused':
      return `${frame.rule}: ${frame.reason}`;
    case 'binary':
      return `a binary frame of ${frame.bytes.length} bytes that nobody expects`;
    default:
      return assertNever(frame);
  }
}
