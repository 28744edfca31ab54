import type { ReconnectionStrategy } from '@/lib/aip/resilience/reconnection-strategy';
import { wait } from '@/lib/aip/resilience/wait';
import { type Cancellation, createCancellation } from '@/lib/aip/transport/cancellation';
import { ConnectError, type Transport, type TransportClosed } from '@/lib/aip/transport/transport';
import {
  type DeviceClientOptions,
  type DeviceClientState,
  type DeviceClientTiming,
  DeviceStartError,
} from './device-client-types';
import { createDeviceConnection, type DeviceConnection } from './device-connection';
import type { DeviceSelf } from './device-self';
import type { DeviceWork } from './device-work';

export type DeviceLifeOptions = DeviceClientOptions & {
  readonly timing: DeviceClientTiming;
  readonly announced: readonly string[];
  readonly strategy: ReconnectionStrategy;
  readonly self: DeviceSelf;
  readonly work: DeviceWork;
};

/** From a start to the stop, or until the tries are used up: one connection after another. */
export type DeviceLife = {
  /** That of the present connection, while it is registered. */
  readonly connection: DeviceConnection | undefined;
  /** Rejects with a DeviceStartError when it does not come to a registration at all. */
  readonly registered: Promise<void>;
  readonly ended: Promise<void>;
  /** It has been stopped or has given up. */
  readonly isOver: boolean;
  reconnect(): Promise<boolean>;
  stop(): void;
};

type Ending = { readonly wasRegistered: boolean; readonly code: string; readonly message: string };
type Attempt = { readonly cancellation: Cancellation; drop(): void };

const GOODBYES: readonly number[] = [1000, 1001];

export function startDeviceLife(options: DeviceLifeOptions): DeviceLife {
  const { clock, logger, timing, strategy, work, clientId } = options;
  const life = createCancellation();
  let connection: DeviceConnection | undefined;
  let resumeToken: string | undefined;
  let attempt: Attempt | undefined;
  let wakeUp: () => void = () => {};
  let isHurried = false;
  let isOver = false;
  let waiters: ((isRegistered: boolean) => void)[] = [];
  let tellRegistered: () => void = () => {};
  let tellNotRegistered: (error: DeviceStartError) => void = () => {};
  const registered = new Promise<void>((resolve, reject) => {
    tellRegistered = resolve;
    tellNotRegistered = reject;
  });
  // Told to whoever waits for it; that may be nobody.
  registered.catch(() => {});

  /** A listener's fault is its own. */
  function onState(state: DeviceClientState) {
    try {
      options.onState?.(state);
    } catch (cause) {
      logger.error('device-state-listener-failed', { phase: state.phase, message: String(cause) });
    }
  }

  function settle(asked: readonly ((isRegistered: boolean) => void)[], isRegistered: boolean) {
    for (const resolve of asked) resolve(isRegistered);
  }

  async function connectOnce(onRegistered: () => void): Promise<Ending> {
    const source = createCancellation();
    const forgetLife = life.cancellation.onCancelled(source.cancel);
    let drop = source.cancel;
    attempt = { cancellation: source.cancellation, drop: () => drop() };
    let transport: Transport | undefined;
    try {
      transport = options.createTransport();
      await transport.connect(source.cancellation);
      const open = transport;
      const goodbye = () => void open.close(1000, 'the device is leaving');
      source.cancellation.onCancelled(goodbye);
      return await serveOn(open, {
        onRegistered(isResumable) {
          // Cut, not closed: after a goodbye the server would forget what it could go on with.
          if (isResumable) drop = () => open.terminate();
          onRegistered();
        },
      });
    } catch (cause) {
      if (cause instanceof ConnectError) return { wasRegistered: false, code: cause.code, message: cause.message };
      // Not a failure that the port describes, but still no reason for a device to stay away for ever.
      logger.error('connect-fault', { message: cause instanceof Error ? (cause.stack ?? '') : String(cause) });
      return { wasRegistered: false, code: 'failed', message: 'Connecting failed in a way that is not known' };
    } finally {
      attempt = undefined;
      connection = undefined;
      forgetLife();
      work.release();
      await transport?.close(1000, '');
    }
  }

  async function serveOn(
    transport: Transport,
    { onRegistered }: { readonly onRegistered: (isResumable: boolean) => void },
  ): Promise<Ending> {
    const next = createDeviceConnection(transport, options);
    const token = work.isKept ? resumeToken : undefined;
    work.hold();
    const reply = await next.register(token);
    if (!reply.ok) return { wasRegistered: false, ...reply.error };
    const { extensions, isResumed } = reply.value;
    if (!isResumed) work.forget();
    resumeToken = reply.value.resumeToken;
    connection = next;
    logger.info('device-registered', { clientId, isResumed });
    onState({ phase: 'registered', extensions, isResumed });
    onRegistered(resumeToken !== undefined);
    tellRegistered();
    let closed: TransportClosed | undefined;
    try {
      closed = await next.serve();
    } finally {
      const isLost = closed !== undefined && !GOODBYES.includes(closed.code);
      if (isLost && resumeToken !== undefined && !life.cancellation.isCancelled) work.keep();
      else work.forget();
    }
    const reason = closed.reason === '' ? '' : `: ${closed.reason}`;
    return { wasRegistered: true, code: 'closed', message: `The connection ended with code ${closed.code}${reason}` };
  }

  /** Failed tries in a row, and since when the server has been refusing the device. */
  let failures = 0;
  let refusedSinceMs: number | undefined;

  /** @returns milliseconds, or undefined when the tries are used up */
  function nextDelayMs(ending: Ending): number | undefined {
    const { maxRetries, policy } = strategy.settings;
    if (ending.wasRegistered) {
      failures = 0;
      refusedSinceMs = undefined;
    }
    const isRefused = ending.code === 'registration-refused';
    if (isRefused) refusedSinceMs ??= clock.now();
    // No text says why it was refused; most likely the server has not noticed yet that the connection before is dead.
    const isPatient = isRefused && clock.now() - (refusedSinceMs ?? 0) < timing.refusedPatienceMs;
    if (policy === 'none' || (failures >= maxRetries && !isPatient)) return undefined;
    // No server is asked for it, so that no later try can end otherwise.
    if (ending.code === 'invalid-url') return undefined;
    const delayMs = strategy.delayMs(failures);
    failures += 1;
    // A wrong token does not heal by itself.
    return ending.code === 'unauthorized' ? Math.max(delayMs, timing.unauthorizedMs) : delayMs;
  }

  async function pause(delayMs: number) {
    const awake = createCancellation();
    wakeUp = awake.cancel;
    const forget = life.cancellation.onCancelled(awake.cancel);
    if (isHurried) awake.cancel();
    await wait(clock, delayMs, awake.cancellation);
    forget();
  }

  async function live(): Promise<void> {
    while (!life.cancellation.isCancelled) {
      const asked = waiters;
      waiters = [];
      isHurried = false;
      onState({ phase: 'connecting', attempt: failures });
      const ending = await connectOnce(() => settle(asked, true));
      settle(asked, false);
      if (life.cancellation.isCancelled) break;
      if (isHurried) {
        if (ending.wasRegistered) failures = 0;
        continue;
      }
      const retryInMs = nextDelayMs(ending);
      if (retryInMs === undefined) {
        giveUp(ending);
        return;
      }
      logger.warn('device-offline', { code: ending.code, message: ending.message, retryInMs });
      onState({ phase: 'waiting', retryInMs, code: ending.code, message: ending.message });
      await pause(retryInMs);
    }
    end(new DeviceStartError('stopped', 'The device was stopped before it was registered'));
    onState({ phase: 'stopped' });
  }

  /** Before anybody is told, so that whoever hears of it can begin anew. */
  function end(reason: DeviceStartError) {
    isOver = true;
    work.forget();
    tellNotRegistered(reason);
    settle(waiters, false);
    waiters = [];
  }

  function giveUp({ code, message }: Ending) {
    logger.error('device-given-up', { code, message, attempts: failures + 1 });
    const tries = failures === 0 ? 'Gave up' : `Gave up after ${failures + 1} tries`;
    const what = code === 'invalid-url' ? 'correct the address' : 'look at the server';
    end(new DeviceStartError('given-up', `${tries}: ${message}; ${what}, then start the device again`));
    onState({ phase: 'given-up', code, message });
  }

  const ended = live();

  return {
    get connection() {
      return connection;
    },
    get isOver() {
      return isOver;
    },
    registered,
    ended,
    reconnect() {
      if (isOver || life.cancellation.isCancelled) return Promise.resolve(false);
      isHurried = true;
      const outcome = new Promise<boolean>((resolve) => waiters.push(resolve));
      attempt?.drop();
      wakeUp();
      return outcome;
    },
    stop: life.cancel,
  };
}
