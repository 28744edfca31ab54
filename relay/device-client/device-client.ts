import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import {
  type DeviceClientEndpoint,
  type DeviceClientState,
  type DeviceClientTiming,
  DeviceStartError,
} from '@/lib/aip/endpoints/device-client-types';
import type { ReconnectionSettings } from '@/lib/aip/resilience/reconnection-settings';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { TransportFactory } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { createDeviceManifest } from './device-manifest';
import { createDeviceToolBox } from './device-tool-box';
import { createDiskProbe } from './disk-probe';
import { createGpuProbe } from './gpu-probe';
import type { ToolServerConfig } from './mcp/mcp-config';
import { readSystemInfo } from './system-info';
import { commandPolicyOf } from './tools/command-policy';
import type { RootFolder } from './tools/root-folder';
import { createProcessGroups } from './tools/run-process';

export type DeviceClientOptions = {
  readonly createTransport: TransportFactory;
  readonly id: string;
  readonly platform: string;
  readonly root: RootFolder;
  readonly allowedCommands: readonly string[];
  /** What the owner says that the device can do, besides what is found. */
  readonly addedCapabilities: readonly string[];
  readonly toolServers: readonly ToolServerConfig[];
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onState: (state: DeviceClientState) => void;
  readonly timing?: Partial<DeviceClientTiming>;
  readonly reconnection?: Partial<ReconnectionSettings>;
};

export type DeviceClient = {
  readonly endpoint: DeviceClientEndpoint;
  /** Serves until cancelled; afterwards nothing that it started runs any more. */
  run(cancellation: Cancellation): Promise<void>;
  /** Ends all running commands at once; for the last moment of the process. */
  killCommands(): void;
};

/** A device stays a device: it never gives up, comes back fast and, with full jitter, not in step with the others. */
const PROGRAM_RECONNECTION: Partial<ReconnectionSettings> = {
  maxRetries: Number.POSITIVE_INFINITY,
  initialBackoffMs: 1_000,
  minBackoffMs: 500,
  jitter: 1,
};

/** A device: its tools, its information and its connection. */
export function createDeviceClient(options: DeviceClientOptions): DeviceClient {
  const { id, root, clock, logger } = options;
  const processes = createProcessGroups();
  const gpus = createGpuProbe({ processes, environment: options.environment, clock, logger });
  const disk = createDiskProbe({ folder: root.realPath, clock });
  const systemInfo = () => readSystemInfo({ deviceId: id, clock, disk, gpus });
  const policy = commandPolicyOf(process.platform, options.allowedCommands);
  const box = createDeviceToolBox({ ...options, policy, processes, systemInfo });
  const { addedCapabilities } = options;
  const manifest = createDeviceManifest({ box, gpus, commandCount: policy.size, addedCapabilities, clock, logger });
  const endpoint = createDeviceClientEndpoint({
    createTransport: options.createTransport,
    clock,
    random: options.random,
    logger,
    clientId: id,
    platform: options.platform,
    systemInfo,
    manifest: manifest.read,
    onManifestChanged: manifest.onChanged,
    execute: (command, { cancellation, onOutput, timeoutMs }) => {
      const { signal, forget } = toSignal(cancellation);
      return box.execute(command, { signal, onOutput, timeoutMs }).finally(forget);
    },
    onState: options.onState,
    ...(options.timing && { timing: options.timing }),
    reconnection: { ...PROGRAM_RECONNECTION, ...options.reconnection },
  });
  return {
    endpoint,
    async run(cancellation) {
      // Not awaited: a slow server of tools must not keep the device offline. Each failure is logged there.
      void box.start();
      const forget = cancellation.onCancelled(() => void endpoint.stop());
      try {
        if (!cancellation.isCancelled) await endpoint.start();
        await endpoint.waitStopped();
      } catch (cause) {
        if (!(cause instanceof DeviceStartError && cause.code === 'stopped')) throw cause;
      } finally {
        forget();
        processes.killAll();
        await box.close();
      }
    },
    killCommands: () => processes.killAll(),
  };
}

function toSignal(cancellation: Cancellation): { readonly signal: AbortSignal; readonly forget: () => void } {
  const controller = new AbortController();
  const forget = cancellation.onCancelled(() => controller.abort());
  return { signal: controller.signal, forget };
}
