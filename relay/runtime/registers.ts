import { FLEET_STREAM, type StreamName } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';
import type { Register } from './runtime-port';

/** A page shows ages in seconds of some size; more often than this nobody would see it. */
const HEARD_EVERY_MS = 5_000;

/** When each device's server was last heard: values of which only the newest counts, beside the journal. */
export type HeardBook = {
  heard(deviceId: DeviceId, atMs: number): void;
  lastHeardAtMs(deviceId: DeviceId): number | undefined;
  forget(deviceId: DeviceId): void;
  registers(stream: StreamName): readonly Register[];
};

export function createHeardBook(clock: Pick<Clock, 'now'>, publish: (register: Register) => void): HeardBook {
  const heard = new Map<DeviceId, number>();
  const registers = new Map<DeviceId, Register>();
  const publishedAtMs = new Map<DeviceId, number>();
  return {
    heard(deviceId, atMs) {
      heard.set(deviceId, atMs);
      if (atMs - (publishedAtMs.get(deviceId) ?? Number.NEGATIVE_INFINITY) < HEARD_EVERY_MS) return;
      publishedAtMs.set(deviceId, atMs);
      // Grows across restarts too, as long as the clock does.
      const version = Math.max((registers.get(deviceId)?.version ?? 0) + 1, Math.floor(clock.now()));
      const register: Register = { stream: FLEET_STREAM, key: `heard/${deviceId}`, version, value: atMs };
      registers.set(deviceId, register);
      publish(register);
    },
    lastHeardAtMs: (deviceId) => heard.get(deviceId),
    forget(deviceId) {
      heard.delete(deviceId);
      registers.delete(deviceId);
      publishedAtMs.delete(deviceId);
    },
    registers: (stream) => (stream === FLEET_STREAM ? [...registers.values()] : []),
  };
}
