import { formatTimestamp } from '@/lib/constellation/timestamps';
import type { Device } from '@/lib/fleet/device';
import type { Role } from '@/lib/relay-protocol/commands';
import type { DeviceResource } from '@/lib/relay-protocol/http';

/** Why a connection fails tells what stands at an address, so only an admin sees it. */
const UNIFORM_REASON = 'the device cannot be reached';

export type DeviceView = { readonly lastHeardAtMs: number | undefined; readonly role: Role };

export function toDeviceResource(device: Device, view: DeviceView): DeviceResource {
  const { profile, info, currentTask } = device;
  return {
    device_id: profile.deviceId,
    server_url: withoutSecrets(profile.serverUrl),
    os: profile.os,
    capabilities: [...profile.capabilities],
    metadata: profile.metadata,
    auto_connect: profile.autoConnect,
    max_retries: profile.maxRetries,
    status: device.status,
    status_reason: device.statusReason === null || view.role === 'admin' ? device.statusReason : UNIFORM_REASON,
    status_since: formatTimestamp(device.statusSinceMs),
    connection_attempts: device.connectionAttempts,
    last_heartbeat: view.lastHeardAtMs === undefined ? null : formatTimestamp(view.lastHeardAtMs),
    current_task_id: currentTask?.taskId ?? null,
    current_run_id: currentTask?.runId ?? null,
    info: info?.info ?? null,
    info_at: info === null ? null : formatTimestamp(info.collectedAtMs),
    info_asked_at: info === null ? null : formatTimestamp(info.askedAtMs),
    info_origin: info?.origin ?? null,
  };
}

/** The relay splits secrets off on entry; an address that slipped through is still not shown whole. */
function withoutSecrets(serverUrl: string): string {
  if (!URL.canParse(serverUrl)) return serverUrl.replace(/[?#].*$/s, '');
  const url = new URL(serverUrl);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
