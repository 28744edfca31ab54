import { deviceDraftSchema } from '@/lib/fleet/commands';
import type { Command } from '@/lib/relay-protocol/commands';
import { commandIdSchema, deviceIdSchema } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { RelayConfig } from './config';
import { LOCAL_DEVICE_ID } from './runtime/create-relay-core';
import type { Actor, Runtime } from './runtime/runtime-port';

const RELAY: Actor = { name: 'relay', role: 'admin', via: 'relay' };
const LOCAL = deviceIdSchema.parse(LOCAL_DEVICE_ID);

type LocalDevicePorts = {
  readonly runtime: Runtime;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the machine, such as `linux`. */
  readonly os: string;
};

/**
 * Brings the built-in device in line with the settings: its address and token change with each start, so they are set
 * anew; what an operator has edited stays. Switched off, it is removed.
 */
export async function syncLocalDevice(
  ports: LocalDevicePorts,
  config: Pick<RelayConfig, 'localDevice' | 'localDeviceUrl'>,
): Promise<void> {
  const command = commandFor(ports, config);
  if (command === undefined) return;
  const commandId = commandIdSchema.parse(ports.random.uuid());
  const verdict = await ports.runtime.submit({ commandId, actor: RELAY, command });
  if (verdict.status !== 'rejected') return;
  ports.logger.warn('local-device-unchanged', { command: command.type, reason: verdict.refusal.message });
}

function commandFor(
  { runtime, os }: LocalDevicePorts,
  { localDevice, localDeviceUrl }: Pick<RelayConfig, 'localDevice' | 'localDeviceUrl'>,
): Command | undefined {
  const isKnown = runtime.fleet().devices.has(LOCAL);
  if (localDevice === 'off') return isKnown ? { type: 'device-remove', deviceId: LOCAL } : undefined;
  if (localDeviceUrl === undefined) return undefined;
  if (isKnown) return { type: 'device-edit', deviceId: LOCAL, patch: { serverUrl: localDeviceUrl } };
  return { type: 'device-add', device: deviceDraftSchema.parse({ deviceId: LOCAL, serverUrl: localDeviceUrl, os }) };
}
