import { buildRegistrationConfirmation, type ClientMessage, resumeTokenOf } from '@/lib/aip/messages';
import { announcedExtensions } from '@/lib/aip/protocol/registration';
import type { ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { hasAgreed, type Peer, type Registry, toPeer } from './server-peer';
import type { Presence } from './server-presence';
import type { Sessions } from './server-sessions';

export type AdmissionOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly presence: Presence;
  readonly sessions: Sessions;
  readonly registerMs: number;
  readonly extensions: readonly string[];
};

/** Longer than any id that is meant; it is kept, compared and repeated in errors. */
export const ID_LENGTH_MAX = 4_096;
const RESUME_TOKEN_BYTES = 16;

/** The registration of one connection. Whoever is returned is registered and knows it; else the connection is closed. */
export async function admit(protocol: ServerProtocol, options: AdmissionOptions): Promise<Peer | undefined> {
  const { logger, sessions, presence } = options;
  const register = await firstFrame(protocol, options);
  if (!register?.client_id) return undefined;
  const peer = toPeer(register, register.client_id, { protocol, extensions: options.extensions });
  const token = hasAgreed(peer, 'resume') ? resumeTokenOf(register) : undefined;
  const refusal = refusalOf(peer, options.registry);
  const entered = refusal === undefined && presence.enter(peer, token);
  if (!entered) {
    await refuse(peer, refusal ?? duplicateOf(peer), logger);
    return undefined;
  }
  const { earlier } = entered;
  const confirming = confirm(peer, { register, isResumed: earlier !== undefined, token }, options);
  // Frames leave in the order of the calls, so what is sent again comes behind the confirmation.
  if (earlier) sessions.resume(earlier, peer);
  let isConfirmed = false;
  try {
    isConfirmed = await confirming;
  } finally {
    if (!isConfirmed) presence.leave(peer, 1006);
  }
  if (!isConfirmed) return undefined;
  logger.info('client-registered', { clientId: peer.id, role: peer.role, platform: peer.platform });
  return peer;
}

/** Anything but a REGISTER with an id ends the connection without a frame, as does saying nothing. */
async function firstFrame(protocol: ServerProtocol, options: AdmissionOptions): Promise<ClientMessage | undefined> {
  const { clock, logger, registerMs } = options;
  const stopTimer = clock.after(registerMs, () => {
    logger.info('client-not-registered', { reason: 'deadline' });
    void protocol.transport.close(1008, `expected REGISTER within ${registerMs} ms`);
  });
  const received = await protocol.receive();
  stopTimer();
  if (received.kind === 'closed') return undefined;
  if (received.kind === 'message' && received.message.type === 'register' && received.message.client_id) {
    return received.message;
  }
  logger.info('client-not-registered', { reason: 'first frame is no REGISTER with a client_id' });
  await protocol.transport.close(1008, 'expected REGISTER with a client_id');
  return undefined;
}

function refusalOf(peer: Peer, registry: Registry): string | undefined {
  if (peer.id.length > ID_LENGTH_MAX) return `Expected a client_id of at most ${ID_LENGTH_MAX} characters`;
  if (peer.targetId !== undefined && !registry.device(peer.targetId)) {
    return `Target device '${peer.targetId.slice(0, ID_LENGTH_MAX)}' is not connected`;
  }
  return undefined;
}

function duplicateOf(peer: Peer): string {
  return `client_id '${peer.id}' is already registered; duplicate registrations are not allowed`;
}

async function refuse({ id, protocol }: Peer, reason: string, logger: Logger): Promise<void> {
  logger.info('client-refused', { clientId: id.slice(0, ID_LENGTH_MAX), reason });
  await protocol.sendError(reason);
  await protocol.transport.close(1000, 'registration refused');
}

type Welcome = { readonly register: ClientMessage; readonly isResumed: boolean; readonly token: string | undefined };

async function confirm(
  peer: Peer,
  { register, isResumed, token }: Welcome,
  { clock, random }: AdmissionOptions,
): Promise<boolean> {
  const responseId = random.uuid();
  // A peer that announces nothing is a stock one, and one that we share nothing with hears just that.
  if (announcedExtensions(register).length === 0) return (await peer.protocol.sendAck({ responseId })).ok;
  if (peer.extensions.length === 0) {
    return (await peer.protocol.sendAck({ responseId, result: { extensions: [] } })).ok;
  }
  const fresh = hasAgreed(peer, 'resume') ? random.hex(RESUME_TOKEN_BYTES) : undefined;
  // Until the device is heard on this connection, the confirmation may be lost, and the token that it has must do.
  if (fresh !== undefined) peer.resumeTokens = isResumed && token !== undefined ? [fresh, token] : [fresh];
  const resume = fresh === undefined ? undefined : { token: fresh, isResumed };
  const { extensions } = peer;
  const sent = await peer.protocol.send(buildRegistrationConfirmation({ responseId, extensions, resume }, clock.now()));
  return sent.ok;
}
