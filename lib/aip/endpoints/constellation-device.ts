import type { ReconnectionStrategy, ReconnectOutcome } from '@/lib/aip/resilience/reconnection-strategy';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { err, ok, type Result } from '@/lib/std/result';
import {
  type AgentProfile,
  type OperatorSettings,
  type ProfileParts,
  partsOfDeviceInfo,
  toAgentProfile,
} from './agent-profile';
import { createConstellationConnection } from './constellation-connection';
import type {
  ConnectedDevice,
  ConnectFailure,
  ConstellationEndpointOptions,
  ConstellationEndpointTiming,
  ConstellationEvent,
} from './constellation-endpoint-types';
import { createDeviceTasks, type DeviceTasks } from './constellation-tasks';
import type { ConstellationConnection, DeviceInfoAnswer, LinkSignal, OpenFailure } from './constellation-types';
import type { Extension } from './extensions';

export type ConstellationDeviceOptions = Omit<ConstellationEndpointOptions, 'timing' | 'extensions' | 'onEvent'> & {
  readonly deviceId: string;
  /** May hold a token; it is given to the transport and nobody else. */
  readonly serverUrl: string;
  readonly timing: ConstellationEndpointTiming;
  readonly extensions: readonly Extension[];
  readonly strategy: ReconnectionStrategy;
  readonly tell: (event: ConstellationEvent) => void;
  /** It is let go of: it was stopped, or its tries are used up. */
  readonly onOver: () => void;
};

/** One device of a constellation, from the first try to connect until it is let go of. */
export type ConstellationDevice = {
  readonly serverUrl: string;
  readonly tasks: DeviceTasks;
  readonly profile: AgentProfile;
  readonly isConnected: boolean;
  setOperatorSettings(settings: OperatorSettings): void;
  /** Resolves when it takes tasks, now or after it was brought back, or when it is let go of. */
  whenReady(): Promise<Result<ConnectedDevice, ConnectFailure>>;
  requestInfo(): Promise<DeviceInfoAnswer>;
  stop(reason: string): Promise<void>;
};

type Ended = Pick<Extract<LinkSignal, { kind: 'closed' }>, 'code' | 'reason'>;
type Open = { readonly connection: ConstellationConnection; readonly ended: Promise<Ended> };
type Ready = Result<ConnectedDevice, ConnectFailure>;

export function startConstellationDevice(options: ConstellationDeviceOptions): ConstellationDevice {
  const { deviceId, serverUrl, taskName, clock, random, logger, timing, strategy, tell } = options;
  const life = createCancellation();
  const tasks = createDeviceTasks(options);
  let open: Open | undefined;
  let isReady = false;
  let isOver = false;
  let waiters: ((ready: Ready) => void)[] = [];
  let parts: ProfileParts = {};
  let attempt = 0;
  let lastFailure: OpenFailure = { code: 'closed', message: 'The device was disconnected' };

  const profile = () => toAgentProfile(deviceId, parts);
  const extensions = () => open?.connection.extensions ?? [];

  function learn(news: ProfileParts) {
    parts = { ...parts, ...news };
    tell({ kind: 'profile-updated', deviceId, profile: profile() });
  }

  function settle(ready: Ready) {
    const told = waiters;
    waiters = [];
    for (const resolve of told) resolve(ready);
  }

  function onSignal(signal: LinkSignal, tellEnded: (ended: Ended) => void) {
    if (signal.kind === 'closed') tellEnded(signal);
    else if (signal.kind === 'info-pushed') learn(partsOfDeviceInfo(signal.info, { atMs: clock.now(), fresh: true }));
    else tasks.handle(signal);
  }

  async function connectOnce(): Promise<Result<Open, OpenFailure>> {
    let tellEnded: (ended: Ended) => void = () => {};
    const ended = new Promise<Ended>((resolve) => {
      tellEnded = resolve;
    });
    const { files, onProtocol } = options;
    const connection = createConstellationConnection({
      createTransport: () => options.createTransport(serverUrl, deviceId),
      clock,
      random,
      logger,
      // Never the same twice: the server may not have noticed yet that the connection before is dead.
      clientId: `${taskName}-${random.hex(4)}@${deviceId}`,
      targetId: deviceId,
      taskName,
      extensions: options.extensions,
      timing,
      ...(options.messageBytesMax !== undefined && { messageBytesMax: options.messageBytesMax }),
      ...(options.middlewares && { middlewares: options.middlewares }),
      ...(onProtocol && { onProtocol: (protocol) => onProtocol(protocol, deviceId) }),
      ...(files && { files: (protocol) => files(protocol, deviceId) }),
      onSignal: (signal) => onSignal(signal, tellEnded),
    });
    try {
      const opened = await connection.open(life.cancellation);
      return opened.ok ? ok({ connection, ended }) : opened;
    } catch (cause) {
      // Not a failure that the port describes, but still no reason to let go of a device.
      logger.error('connect-fault', {
        deviceId,
        message: cause instanceof Error ? (cause.stack ?? '') : String(cause),
      });
      await connection.close(1011, 'internal error');
      return err({ code: 'connect-failed', message: 'Connecting failed in a way that is not known; see the log' });
    }
  }

  async function reconnect(): Promise<ReconnectOutcome> {
    const outcome = await connectOnce();
    if (outcome.ok) {
      open = outcome.value;
      attempt = 0;
      return true;
    }
    if (life.cancellation.isCancelled) return false;
    attempt += 1;
    lastFailure = outcome.error;
    logger.warn('device-unreachable', { deviceId, attempt, code: lastFailure.code, message: lastFailure.message });
    tell({ kind: 'device-unreachable', deviceId, attempt, ...lastFailure });
    return patienceFor(lastFailure.code);
  }

  /** No text says why a registration was refused; most likely the device is on its way back to its server. */
  function patienceFor(code: OpenFailure['code']): ReconnectOutcome {
    if (code === 'unauthorized') return { retryAfterMs: timing.unauthorizedMs };
    const waits = strategy.settings.maxRetries - 1;
    if (code !== 'refused' || waits < 1) return false;
    // Each wait is twice the one before, and all of them together are the patience: who comes back soon is found soon.
    // Written with exponents below 0, which no number of tries can make overflow.
    const share = 2 ** (strategy.attempts(deviceId) - waits) / (1 - 2 ** -waits);
    return { retryAfterMs: timing.refusedPatienceMs * share };
  }

  /** A wrong token or address is a mistake that somebody must hear of now, who is waiting for the answer. */
  async function connectFirst(): Promise<boolean> {
    if ((await reconnect()) === true) return true;
    if (lastFailure.code === 'unauthorized' || lastFailure.code === 'invalid-url') return false;
    return strategy.attempt(deviceId, reconnect, life.cancellation);
  }

  async function requestInfo(): Promise<DeviceInfoAnswer> {
    const asked = open?.connection;
    if (!asked) return { ok: false, reason: 'closed', message: 'The device is not connected' };
    const answer = await asked.requestDeviceInfo();
    if (answer.ok) learn(partsOfDeviceInfo(answer.info, { atMs: clock.now(), fresh: answer.fresh }));
    return answer;
  }

  /** From a confirmed registration to the end of its connection. */
  async function serve({ connection, ended }: Open): Promise<Ended> {
    const first = await requestInfo();
    if (connection.isOpen && !life.cancellation.isCancelled) {
      isReady = true;
      settle(ok({ extensions: connection.extensions, profile: profile() }));
      const { sendTask, cancelTask, close } = connection;
      tasks.resume({
        sendTask,
        cancelTask,
        close,
        extensions: connection.extensions,
        get isOpen() {
          return connection.isOpen;
        },
        async look() {
          const answer = await requestInfo();
          // A stock server says the same of a device that has never told it anything.
          return !answer.ok && answer.reason === 'unknown-device' && first.ok ? 'gone' : 'there';
        },
      });
    }
    const end = await ended;
    isReady = false;
    open = undefined;
    return end;
  }

  async function live(): Promise<void> {
    let isRegistered = await connectFirst();
    if (isRegistered) tell({ kind: 'device-connected', deviceId, extensions: extensions() });
    while (isRegistered && open && !life.cancellation.isCancelled) {
      const { code, reason } = await serve(open);
      if (life.cancellation.isCancelled) break;
      const detail = reason === '' ? '' : `: ${reason}`;
      isRegistered = await strategy.handleDisconnection(
        deviceId,
        {
          cancelPendingTasks: () => tasks.pause(`The connection to the device was lost (code ${code}${detail})`),
          notify: () => tell({ kind: 'device-disconnected', deviceId, code, reason }),
          reconnect,
          onReconnect: () => tell({ kind: 'device-reconnected', deviceId, extensions: extensions() }),
        },
        life.cancellation,
      );
    }
  }

  /** Before anybody is told, so that whoever hears of it can begin anew. */
  function finish(reason: string) {
    if (isOver) return;
    isOver = true;
    isReady = false;
    options.onOver();
    tasks.end(reason);
    settle(err(lastFailure));
  }

  async function release(reason: string) {
    await open?.connection.close(1000, reason);
    open = undefined;
  }

  const ended = live()
    .catch((cause: unknown) => {
      logger.error('device-fault', { deviceId, message: cause instanceof Error ? (cause.stack ?? '') : String(cause) });
    })
    .then(async () => {
      finish(`The device cannot be reached: ${lastFailure.message}`);
      if (!life.cancellation.isCancelled) tell({ kind: 'device-given-up', deviceId, ...lastFailure });
      // A try may have succeeded while it was being cancelled.
      await release('the device is no longer wanted');
    });

  return {
    serverUrl,
    tasks,
    get profile() {
      return profile();
    },
    get isConnected() {
      return open?.connection.isOpen ?? false;
    },
    setOperatorSettings(settings) {
      learn({ operator: { value: settings, atMs: clock.now() } });
    },
    async whenReady() {
      if (isReady) return ok({ extensions: extensions(), profile: profile() });
      if (isOver) return err(lastFailure);
      return new Promise((resolve) => waiters.push(resolve));
    },
    requestInfo,
    async stop(reason) {
      lastFailure = { code: 'closed', message: reason };
      life.cancel();
      finish(reason);
      await release(reason);
      await ended;
    },
  };
}
