import { z } from 'zod';
import { type ClientMessage, logLinesOf, parseModel } from '@/lib/aip/messages';
import type { Received } from '@/lib/aip/protocol/aip-protocol';
import type { ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import type { TimeoutManager } from '@/lib/aip/resilience/timeout-manager';
import { assertNever } from '@/lib/std/assert-never';
import type { FileFrames } from './device-server-types';
import { type AdmissionOptions, admit } from './server-admission';
import type { ServerDeviceInfo } from './server-device-info';
import { hasAgreed, type Peer } from './server-peer';
import { endTask, startTask, type TasksOptions } from './server-tasks';
import { createUserHandlers } from './user-handlers';

export type ServerConnectionOptions = AdmissionOptions &
  TasksOptions & {
    readonly timeouts: TimeoutManager;
    readonly deviceInfo: ServerDeviceInfo;
    readonly files: ((protocol: ServerProtocol, clientId: string) => FileFrames) | undefined;
  };

type Incoming = Received<ClientMessage>;

/** As much of a peer's own words as a log needs. */
const LOGGED_LENGTH_MAX = 500;
/** Questions about devices that one asker may have open. */
const INFO_QUESTIONS_MAX = 64;

/** Serves one connection: registration, then frame by frame until its end; whatever happens, the id is free afterwards. */
export async function serveConnection(protocol: ServerProtocol, options: ServerConnectionOptions): Promise<void> {
  const peer = await admit(protocol, options);
  if (!peer) return;
  let files: FileFrames | undefined;
  let closedCode = 1006;
  try {
    files = hasAgreed(peer, 'file') ? options.files?.(protocol, peer.id) : undefined;
    closedCode = await createFrameServer(peer, options, files).serve();
  } finally {
    files?.close();
    options.presence.leave(peer, closedCode);
  }
}

/** @returns serve - resolves to the code of the end */
function createFrameServer(peer: Peer, options: ServerConnectionOptions, files: FileFrames | undefined) {
  const { logger, sessions, deviceInfo, timeouts } = options;
  const { protocol } = peer;
  let openQuestions = 0;
  // A handler that hangs holds up no other for ever.
  const handlers = createUserHandlers<ClientMessage>((received) =>
    timeouts.withTimeoutOrNone('handling', () => protocol.dispatch(received)),
  );

  async function serve(): Promise<number> {
    for (;;) {
      const received = await protocol.receive();
      if (received.kind === 'closed') return received.code;
      // The confirmation has arrived, so the token in it is the one that counts.
      if (peer.resumeTokens.length > 1) peer.resumeTokens = peer.resumeTokens.slice(0, 1);
      if (files && (await files.take(received))) continue;
      if (received.kind === 'binary') {
        logger.info('client-frame-refused', { clientId: peer.id, reason: 'binary frame' });
        await protocol.transport.close(1003, 'binary frames are not agreed');
        return 1003;
      }
      if (received.kind === 'message') {
        if (await isForged(received.message)) continue;
        await answer(received.message);
      } else if (received.kind !== 'custom') await refuseUnread(received);
      await handlers.run(received);
    }
  }

  /** What cannot be read or breaks a rule is answered with the reason, unless it is an ERROR or told nothing on purpose. */
  async function refuseUnread(received: Extract<Incoming, { kind: 'malformed' | 'refused' }>) {
    const isMalformed = received.kind === 'malformed';
    const reason = isMalformed ? received.error.message : `${received.rule}: ${received.reason}`;
    const isSilent = isMalformed ? isErrorText(received.text) : isUnanswered(received);
    logger.info('client-frame-refused', { clientId: peer.id, reason });
    if (!isSilent) await protocol.sendError(reason);
  }

  /** What pretends to come from somebody else is refused, and no handler of a user sees it. */
  async function isForged(message: ClientMessage): Promise<boolean> {
    const forgery = forgeryIn(message, peer);
    if (forgery === undefined) return false;
    logger.info('client-frame-refused', { clientId: peer.id, reason: forgery });
    if (message.type !== 'error') await protocol.sendError(forgery);
    return true;
  }

  async function answer(message: ClientMessage): Promise<unknown> {
    switch (message.type) {
      case 'heartbeat':
        return answerHeartbeat(message);
      case 'task':
        return startTask(peer, options, message);
      case 'command_results':
        if (!sessions.deliver(peer, message)) logger.debug('results-dropped', { clientId: peer.id });
        return;
      case 'device_info_request':
        return answerQuestion(message);
      case 'device_info_response':
        if (peer.role === 'device') deviceInfo.take(peer, message);
        return;
      case 'error':
        // Never answered: two peers that answer errors with errors would not stop.
        logger.warn('client-error', { clientId: peer.id, message: shortened(message.error ?? 'without text') });
        return;
      case 'task_end':
        return endTask(peer, options, message);
      case 'register':
        return protocol.sendError(`Unknown message type: ${message.type}`);
      default:
        return assertNever(message.type);
    }
  }

  async function answerHeartbeat(message: ClientMessage): Promise<unknown> {
    const lines = peer.role === 'device' && hasAgreed(peer, 'log') ? logLinesOf(message) : undefined;
    if (!lines) return protocol.sendAck();
    if (!sessions.log(peer, message.session_id ?? '', lines)) logger.debug('log-dropped', { clientId: peer.id });
    return undefined;
  }

  async function answerQuestion(message: ClientMessage): Promise<unknown> {
    const refusal = infoRefusal(peer, message);
    if (refusal !== undefined) return protocol.sendError(refusal);
    if (openQuestions >= INFO_QUESTIONS_MAX) {
      return protocol.sendError(`This client has ${INFO_QUESTIONS_MAX} questions open; wait for their answers`);
    }
    openQuestions += 1;
    // Not awaited: the device may take its time, and the asker's next frames must not wait for it.
    deviceInfo
      .answer(peer, message)
      .catch((cause: unknown) => {
        logger.error('info-answer-failed', { clientId: peer.id, message: String(cause) });
      })
      .finally(() => {
        openQuestions -= 1;
      });
    return undefined;
  }

  return { serve };
}

function shortened(text: string): string {
  return text.length <= LOGGED_LENGTH_MAX ? text : `${text.slice(0, LOGGED_LENGTH_MAX).toWellFormed()}…`;
}

const errorShape = z.looseObject({ type: z.literal('error') });

function isErrorText(text: string): boolean {
  return parseModel(errorShape, text).ok;
}

function isUnanswered(refused: Extract<Incoming, { kind: 'refused' }>): boolean {
  return refused.isUnanswered === true || refused.message.type === 'error';
}

/** What a message claims to be and is not. A stock constellation beats as a device, which does no harm. */
function forgeryIn(message: ClientMessage, peer: Peer): string | undefined {
  if (message.client_id && message.client_id !== peer.id) return 'client_id does not match the registered connection';
  if (message.client_type === peer.role) return undefined;
  if (message.type === 'heartbeat' && message.client_type === 'device') return undefined;
  return 'client_type does not match the registered connection';
}

function infoRefusal(peer: Peer, message: ClientMessage): string | undefined {
  if (peer.role !== 'constellation') return 'DEVICE_INFO_REQUEST is permitted only for constellation clients';
  if (peer.targetId !== undefined && message.target_id !== peer.targetId) {
    return 'Not authorized to request device info for this device';
  }
  return undefined;
}
