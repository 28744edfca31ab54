import { type ClientMessage, taskResultOf, timeoutSecondsOf } from '@/lib/aip/messages';
import { sanitiseTaskName } from '@/lib/aip/protocol/task-name';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { ID_LENGTH_MAX } from './server-admission';
import { hasAgreed, isConnected, type Peer, type Registry } from './server-peer';
import type { Sessions } from './server-sessions';
import type { RoundReport, TaskOutcome } from './task-agent';

export type TasksOptions = {
  readonly random: Random;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly platforms: readonly string[];
  readonly sessionsPerOwnerMax: number;
};

/** Begins the task of a TASK frame and acknowledges it, or answers why not. */
export async function startTask(peer: Peer, options: TasksOptions, message: ClientMessage): Promise<void> {
  const { random, logger, sessions } = options;
  const executor = peer.role === 'device' ? peer : options.registry.device(message.target_id);
  const refusal = taskRefusal(peer, options, message);
  if (refusal !== undefined || !executor) {
    await peer.protocol.sendError(refusal ?? 'The target device has just left');
    return;
  }
  const id = message.session_id || random.uuid();
  const taskName = sanitiseTaskName(message.task_name || random.uuid(), random.uuid());
  const timeoutSeconds = hasAgreed(peer, 'deadline') ? timeoutSecondsOf(message) : undefined;
  const request = message.request ?? '';
  const session = sessions.begin({ id, taskName, request, owner: peer, executor, timeoutSeconds });
  logger.info('task-accepted', { sessionId: id, taskName, clientId: peer.id, deviceId: executor.id });
  const told = await peer.protocol.sendAck({ sessionId: id });
  // An owner that is gone already is noticed by its own connection, which then ends the session.
  if (!told.ok && !isConnected(peer) && !hasAgreed(peer, 'resume')) return;
  session.run().catch((cause: unknown) => {
    logger.error('session-failed', { sessionId: id, message: String(cause) });
  });
}

/** The first rule that forbids the task, in the order in which the stock server looks; then the limits of ours. */
function taskRefusal(peer: Peer, options: TasksOptions, message: ClientMessage): string | undefined {
  const { registry, platforms } = options;
  if (peer.role === 'device') {
    if (message.target_id && message.target_id !== peer.id) return 'Device clients may not target other devices';
  } else {
    if (!message.target_id) return 'Constellation task requests require target_id';
    const target = registry.get(message.target_id);
    if (!target) return `Target device '${message.target_id.slice(0, ID_LENGTH_MAX)}' is not connected`;
    if (target.role !== 'device') return 'Constellation tasks may only target device clients';
  }
  if (!message.request || message.request.trim() === '') return 'A task needs a request that is not empty';
  const platform = peer.role === 'device' ? peer.platform : registry.device(message.target_id)?.platform;
  if (platform === undefined || !platforms.includes(platform)) {
    return `Service session not supported on ${platform ?? 'an unknown platform'}`;
  }
  return idRefusal(peer, options, message) ?? limitRefusal(peer, options);
}

function idRefusal(peer: Peer, { sessions }: TasksOptions, message: ClientMessage): string | undefined {
  if ((message.session_id?.length ?? 0) > ID_LENGTH_MAX) {
    return `Expected a session_id of at most ${ID_LENGTH_MAX} characters`;
  }
  const owner = message.session_id ? sessions.ownerOf(message.session_id) : undefined;
  if (owner && owner !== peer) return `session_id '${message.session_id}' is owned by another client`;
  if (owner) return `session_id '${message.session_id}' is in use; every task needs its own`;
  return undefined;
}

function limitRefusal(peer: Peer, { sessions, sessionsPerOwnerMax }: TasksOptions): string | undefined {
  if (sessions.countOf(peer) < sessionsPerOwnerMax) return undefined;
  return `This client has ${sessionsPerOwnerMax} tasks under way, which is the most; wait until one of them has ended`;
}

/**
 * A client's TASK_END. A device that agreed to `task_end` ends what it executes; a requester that agreed to `cancel`
 * cancels what it asked for. To a requester an ERROR could look like the answer to another TASK, so a cancel that comes
 * too late is no error.
 */
export async function endTask(peer: Peer, options: TasksOptions, message: ClientMessage): Promise<void> {
  const { sessions, logger } = options;
  const sessionId = message.session_id ?? '';
  const isEnd = message.status === 'completed' || message.status === 'failed';
  if (hasAgreed(peer, 'task_end') && isEnd && sessions.executorOf(sessionId) === peer) {
    if (sessions.end(sessionId, (rounds) => toldByDevice(message, rounds))) return;
  } else if (hasAgreed(peer, 'cancel') && message.status === 'failed' && sessions.ownerOf(sessionId) === peer) {
    if (sessions.end(sessionId, cancelled)) return;
  }
  if (peer.role === 'constellation' && hasAgreed(peer, 'cancel')) {
    logger.info('cancel-without-session', { clientId: peer.id, sessionId: sessionId.slice(0, ID_LENGTH_MAX) });
    return;
  }
  await peer.protocol.sendError(`Unknown message type: ${message.type}`);
}

function toldByDevice(message: ClientMessage, rounds: readonly RoundReport[]): TaskOutcome {
  const result = taskResultOf(message) ?? [...rounds];
  if (message.status === 'completed') return { status: 'completed', result };
  return { status: 'failed', result, error: message.error ?? 'The device ended the task and did not say why' };
}

function cancelled(rounds: readonly RoundReport[]): TaskOutcome {
  const error = 'The task was cancelled by its requester';
  return { status: 'failed', error, result: { failure: error, error_type: 'cancelled', rounds } };
}
