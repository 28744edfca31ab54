import { z } from 'zod';
import { err, ok, type Result } from '@/lib/std/result';
import {
  currentTaskSchema,
  deviceInfoSchema,
  deviceProfileSchema,
  deviceStatusSchema,
  type Fleet,
  infoRefreshSchema,
} from './device';

const atMs = z.number();

const deviceSchema = z.strictObject({
  profile: deviceProfileSchema,
  status: deviceStatusSchema,
  statusReason: z.string().nullable(),
  statusSinceMs: atMs,
  reachSinceMs: atMs,
  connectionAttempts: z.int(),
  currentTask: currentTaskSchema.nullable(),
  info: deviceInfoSchema.nullable(),
  refresh: infoRefreshSchema,
  addedAtMs: atMs,
});

/** The fold of the fleet as plain JSON. */
const fleetSnapshotSchema = z.strictObject({ form: z.literal('fleet/1'), devices: z.array(deviceSchema) });
export type FleetSnapshot = z.infer<typeof fleetSnapshotSchema>;

/** Shares its values with the fleet; meant to be written out at once. */
export function toFleetSnapshot(fleet: Fleet): z.input<typeof fleetSnapshotSchema> {
  return { form: 'fleet/1', devices: [...fleet.devices.values()] };
}

function fromFleetSnapshot(snapshot: FleetSnapshot): Fleet {
  return { devices: new Map(snapshot.devices.map((device) => [device.profile.deviceId, device])) };
}

/** For text that came from outside and was parsed as JSON. The failure says what was wrong first. */
export function parseFleetSnapshot(value: unknown): Result<Fleet, string> {
  const parsed = fleetSnapshotSchema.safeParse(value);
  if (parsed.success) return ok(fromFleetSnapshot(parsed.data));
  const [issue] = parsed.error.issues;
  return err(`Expected the snapshot of a fleet; at ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'unreadable'}`);
}
