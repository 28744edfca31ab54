import { buildAcknowledgement, buildError, type ClientMessage } from '@/lib/aip/messages';
import { announcedExtensions, registeredPlatform, registeredSystemInfo } from '@/lib/aip/protocol/registration';
import { sanitiseTaskName } from '@/lib/aip/protocol/task-name';
import { assertNever } from '@/lib/std/assert-never';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { ServerDeviceInfo } from './server-device-info';
import type { Peer, Registry, ServerProtocol } from './server-peer';
import type { Sessions } from './server-sessions';

export type ServerConnectionOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly deviceInfo: ServerDeviceInfo;
  readonly registerMs: number;
  readonly extensions: readonly string[];
  readonly platforms: readonly string[];
};

/** Serves one connection: registration, then frame by frame until its end; whatever happens, the id is free afterwards. */
export async function serveConnection(protocol: ServerProtocol, options: ServerConnectionOptions): Promise<void> {
  const { logger, registry, sessions, deviceInfo } = options;
  const peer = await admit(protocol, options);
  if (!peer) return;
  try {
    logger.info('client-registered', { clientId: peer.id, role: peer.role, platform: peer.platform });
    await serveFrames(peer, options);
  } finally {
    registry.remove(peer);
    deviceInfo.forget(peer);
    sessions.endAllOf(peer);
    logger.info('client-gone', { clientId: peer.id, role: peer.role });
  }
}

async function admit(protocol: ServerProtocol, options: ServerConnectionOptions): Promise<Peer | undefined> {
  const { clock, random, logger, registry } = options;
  const { transport } = protocol;
  const stopTimer = clock.after(options.registerMs, () => {
    logger.info('client-not-registered', { reason: 'deadline' });
    void transport.close(1008, `expected REGISTER within ${options.registerMs} ms`);
  });
  const received = await protocol.receive();
  stopTimer();
  if (received.kind === 'closed') return undefined;
  if (received.kind !== 'message' || received.message.type !== 'register' || !received.message.client_id) {
    logger.info('client-not-registered', { reason: 'first frame is no REGISTER with a client_id' });
    await transport.close(1008, 'expected REGISTER with a client_id');
    return undefined;
  }
  const peer = toPeer(received.message, received.message.client_id, { protocol, extensions: options.extensions });
  const refusal = refusalOf(peer, registry);
  if (refusal !== undefined) {
    logger.info('client-refused', { clientId: peer.id, reason: refusal });
    await protocol.send(buildError({ error: refusal, responseId: random.uuid() }, clock.now()));
    await transport.close(1000, 'registration refused');
    return undefined;
  }
  const isAnnouncing = announcedExtensions(received.message).length > 0;
  const confirmation = buildAcknowledgement(
    { responseId: random.uuid(), ...(isAnnouncing && { result: { extensions: peer.extensions } }) },
    clock.now(),
  );
  const confirmed = await protocol.send(confirmation);
  if (confirmed.ok) return peer;
  registry.remove(peer);
  return undefined;
}

function toPeer(
  register: ClientMessage,
  id: string,
  { protocol, extensions }: { readonly protocol: ServerProtocol; readonly extensions: readonly string[] },
): Peer {
  const isDevice = register.client_type === 'device';
  return {
    id,
    role: register.client_type,
    platform: registeredPlatform(register),
    targetId: isDevice || !register.target_id ? undefined : register.target_id,
    extensions: extensions.filter((name) => announcedExtensions(register).includes(name)),
    protocol,
    systemInfo: isDevice ? registeredSystemInfo(register) : undefined,
  };
}

/** Takes the id when nothing speaks against it: check and taking are one step, so that two sockets cannot both win. */
function refusalOf(peer: Peer, registry: Registry): string | undefined {
  if (peer.targetId !== undefined && !registry.device(peer.targetId)) {
    return `Target device '${peer.targetId}' is not connected`;
  }
  if (!registry.add(peer)) {
    return `client_id '${peer.id}' is already registered; duplicate registrations are not allowed`;
  }
  return undefined;
}

async function serveFrames(peer: Peer, options: ServerConnectionOptions): Promise<void> {
  for (;;) {
    const received = await peer.protocol.receive();
    if (received.kind === 'closed') return;
    if (received.kind === 'binary') {
      options.logger.info('client-frame-refused', { clientId: peer.id, reason: 'binary frame' });
      await peer.protocol.transport.close(1003, 'binary frames are not agreed');
      return;
    }
    if (received.kind === 'malformed') await refuse(peer, options, received.error.message);
    else if (received.kind === 'refused') await refuse(peer, options, `${received.rule}: ${received.reason}`);
    else if (received.kind === 'message') await answer(peer, options, received.message);
    await peer.protocol.dispatch(received);
  }
}

async function answer(peer: Peer, options: ServerConnectionOptions, message: ClientMessage): Promise<void> {
  const { clock, random, logger, sessions, deviceInfo } = options;
  const forgery = forgeryIn(message, peer);
  if (forgery !== undefined && message.type !== 'error') return refuse(peer, options, forgery);
  switch (message.type) {
    case 'heartbeat':
      await peer.protocol.send(buildAcknowledgement({ responseId: random.uuid() }, clock.now()));
      return;
    case 'task':
      return startTask(peer, options, message);
    case 'command_results':
      if (!sessions.deliver(peer, message)) logger.debug('results-dropped', { clientId: peer.id });
      return;
    case 'device_info_request': {
      const refusal = infoRefusal(peer, message);
      if (refusal !== undefined) return refuse(peer, options, refusal);
      // Not awaited: the device may take its time, and the asker's next frames must not wait for it.
      deviceInfo.answer(peer, message).catch((cause: unknown) => {
        logger.error('info-answer-failed', { clientId: peer.id, message: String(cause) });
      });
      return;
    }
    case 'device_info_response':
      if (peer.role === 'device') deviceInfo.take(peer, message);
      return;
    case 'error':
      // Never answered: two peers that answer errors with errors would not stop.
      logger.warn('client-error', { clientId: peer.id, message: message.error ?? 'without text' });
      return;
    case 'register':
    case 'task_end':
      return refuse(peer, options, `Unknown message type: ${message.type}`);
    default:
      return assertNever(message.type);
  }
}

async function refuse(peer: Peer, { clock, random }: ServerConnectionOptions, error: string): Promise<void> {
  await peer.protocol.send(buildError({ error, responseId: random.uuid() }, clock.now()));
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

async function startTask(peer: Peer, options: ServerConnectionOptions, message: ClientMessage): Promise<void> {
  const { clock, random, logger, sessions } = options;
  const executor = peer.role === 'device' ? peer : options.registry.device(message.target_id);
  const refusal = taskRefusal(peer, options, message);
  if (refusal !== undefined || !executor) return refuse(peer, options, refusal ?? 'The target device has just left');
  const id = message.session_id || random.uuid();
  const taskName = sanitiseTaskName(message.task_name || random.uuid(), random.uuid());
  const session = sessions.begin({ id, taskName, request: message.request ?? '', owner: peer, executor });
  logger.info('task-accepted', { sessionId: id, taskName, clientId: peer.id, deviceId: executor.id });
  const acknowledgement = buildAcknowledgement({ responseId: random.uuid(), sessionId: id }, clock.now());
  const told = await peer.protocol.send(acknowledgement);
  // An owner that is gone already is noticed by its own connection, which then ends the session.
  if (told.ok) void session.run();
}

/** The first rule that forbids the task, in the order in which the stock server looks. */
function taskRefusal(peer: Peer, options: ServerConnectionOptions, message: ClientMessage): string | undefined {
  const { registry, sessions, platforms } = options;
  if (peer.role === 'device') {
    if (message.target_id && message.target_id !== peer.id) return 'Device clients may not target other devices';
  } else {
    if (!message.target_id) return 'Constellation task requests require target_id';
    const target = registry.get(message.target_id);
    if (!target) return `Target device '${message.target_id}' is not connected`;
    if (target.role !== 'device') return 'Constellation tasks may only target device clients';
  }
  if (!message.request || message.request.trim() === '') return 'A task needs a request that is not empty';
  const platform = peer.role === 'device' ? peer.platform : registry.device(message.target_id)?.platform;
  if (platform === undefined || !platforms.includes(platform)) {
    return `Service session not supported on ${platform ?? 'an unknown platform'}`;
  }
  const owner = message.session_id ? sessions.ownerOf(message.session_id) : undefined;
  if (owner && owner !== peer) return `session_id '${message.session_id}' is owned by another client`;
  if (owner) return `session_id '${message.session_id}' is in use; every task needs its own`;
  return undefined;
}
