import type { Device, Fleet } from '@/lib/fleet/device';
import { deviceIdSchema } from '@/lib/std/ids';

export function aDevice(id: string, change: Partial<Device> = {}): Device {
  return {
    profile: {
      deviceId: deviceIdSchema.parse(id),
      serverUrl: 'ws://127.0.0.1:5000/ws',
      secretRef: null,
      os: 'linux',
      capabilities: [],
      metadata: {},
      autoConnect: true,
      maxRetries: 5,
    },
    status: 'idle',
    statusReason: null,
    statusSinceMs: 0,
    reachSinceMs: 0,
    connectionAttempts: 0,
    currentTask: null,
    info: null,
    refresh: { phase: 'none' },
    addedAtMs: 0,
    ...change,
  };
}

export function aFleet(...devices: readonly (string | Device)[]): Fleet {
  const made = devices.map((device) => (typeof device === 'string' ? aDevice(device) : device));
  return { devices: new Map(made.map((device) => [device.profile.deviceId, device])) };
}
