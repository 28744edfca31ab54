import { reconnectDelayMs } from '@/lib/aip/resilience/reconnection';
import { DEVICE_CLIENT_TIMERS } from '@/lib/aip/resilience/timer-defaults';
import { wait } from '@/lib/aip/resilience/wait';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import { ConnectError, type Transport } from '@/lib/aip/transport/transport';
import type { DeviceClientEndpoint, DeviceClientOptions } from './device-client-types';
import { createDeviceConnection, type DeviceConnection } from './device-connection';

/** What this device can agree to. */
const EXTENSIONS_SPOKEN = ['device_info'] as const;

type Ending = { readonly wasRegistered: boolean; readonly code: string; readonly message: string };

/** A device: connects to its server, serves it, and connects again for as long as it lives. */
export function createDeviceClientEndpoint(options: DeviceClientOptions): DeviceClientEndpoint {
  const { clock, random, logger, onState = () => {} } = options;
  const timing = { ...DEVICE_CLIENT_TIMERS, ...options.timing };
  const announced = (options.extensions ?? EXTENSIONS_SPOKEN).filter((name) =>
    EXTENSIONS_SPOKEN.some((spoken) => spoken === name),
  );
  let current: DeviceConnection | undefined;

  async function connectOnce(cancellation: Cancellation): Promise<Ending> {
    const transport = options.createTransport();
    try {
      await transport.connect(cancellation);
    } catch (cause) {
      if (cause instanceof ConnectError) return { wasRegistered: false, code: cause.code, message: cause.message };
      // Not a failure that the port describes, but still no reason for a device to stay away for ever.
      logger.error('connect-fault', { message: cause instanceof Error ? (cause.stack ?? '') : String(cause) });
      return { wasRegistered: false, code: 'failed', message: 'Connecting failed in a way that is not known' };
    }
    const forget = cancellation.onCancelled(() => void transport.close(1000, 'the device is stopping'));
    try {
      return await serveOn(transport);
    } finally {
      current = undefined;
      forget();
      await transport.close(1000, '');
    }
  }

  async function serveOn(transport: Transport): Promise<Ending> {
    const connection = createDeviceConnection(transport, { ...options, announced, timing });
    const registered = await connection.register();
    if (!registered.ok) return { wasRegistered: false, ...registered.error };
    current = connection;
    logger.info('device-registered', { clientId: options.clientId });
    onState({ phase: 'registered', extensions: registered.value.extensions });
    const closed = await connection.serve();
    const reason = closed.reason === '' ? '' : `: ${closed.reason}`;
    return { wasRegistered: true, code: 'closed', message: `The connection ended with code ${closed.code}${reason}` };
  }

  /** Full jitter, so that many devices do not come back in step; a wrong token is not worth hurrying for. */
  function delayAfter(ending: Ending, attempt: number): number {
    if (ending.code === 'unauthorized') return timing.unauthorizedMs;
    const plan = {
      policy: 'exponential_backoff' as const,
      retriesMax: Number.POSITIVE_INFINITY,
      initialMs: timing.reconnectInitialMs,
      maxMs: timing.reconnectMaxMs,
      factor: 2,
      jitter: 1,
      floorMs: timing.reconnectFloorMs,
    };
    return reconnectDelayMs(plan, attempt, random.fraction());
  }

  return {
    async run(cancellation) {
      let failures = 0;
      while (!cancellation.isCancelled) {
        onState({ phase: 'connecting', attempt: failures });
        const ending = await connectOnce(cancellation);
        if (cancellation.isCancelled) break;
        if (ending.wasRegistered) failures = 0;
        const retryInMs = delayAfter(ending, failures);
        failures += 1;
        logger.warn('device-offline', { code: ending.code, message: ending.message, retryInMs });
        onState({ phase: 'waiting', retryInMs, code: ending.code, message: ending.message });
        await wait(clock, retryInMs, cancellation);
      }
      onState({ phase: 'stopped' });
    },
    async startTask({ request, taskName }) {
      if (!current) return false;
      return current.startTask({ request, taskName: taskName ?? random.uuid() });
    },
  };
}
