import { z } from 'zod';
import { type DeviceId, deviceIdSchema, runIdSchema, taskIdSchema } from '@/lib/std/ids';
import { jsonObjectSchema } from '@/lib/std/json';

/**
 * The words of the link to a device, as the reference's device manager knows them.
 *
 * @see spec of the constellation client, section 10 (microsoft/UFO, galaxy/client/components/types.py)
 */
const DEVICE_STATUSES = ['disconnected', 'connecting', 'registering', 'connected', 'idle', 'busy', 'failed'] as const;
export const deviceStatusSchema = z.enum(DEVICE_STATUSES);
export type DeviceStatus = z.infer<typeof deviceStatusSchema>;

/** What an operator says about a device. The secret part of the address is never in here, only a reference to it. */
export const deviceProfileSchema = z.strictObject({
  deviceId: deviceIdSchema,
  /** Without query, userinfo and fragment: what may be shown, logged and stored in events. */
  serverUrl: z.string().max(2048),
  /** Names the sealed secret of the address, if it has one. */
  secretRef: z.string().nullable(),
  os: z.string().max(64),
  capabilities: z.array(z.string().max(128)).max(256),
  metadata: jsonObjectSchema,
  autoConnect: z.boolean(),
  maxRetries: z.int().min(0).max(1000),
});
export type DeviceProfile = z.infer<typeof deviceProfileSchema>;

/** Where device information came from: the device just now, or what its server keeps since registration. */
export const infoOriginSchema = z.enum(['device', 'registration']);
export type InfoOrigin = z.infer<typeof infoOriginSchema>;

/** What is known of a device by its own telling. Times are Unix milliseconds on the relay's clock. */
export const deviceInfoSchema = z.strictObject({
  info: jsonObjectSchema,
  origin: infoOriginSchema,
  /** When the relay asked. */
  askedAtMs: z.number(),
  /** When the device said it; for `registration` the moment the relay first saw this registration's profile. */
  collectedAtMs: z.number(),
});
export type DeviceInfo = Readonly<z.infer<typeof deviceInfoSchema>>;

/** A refresh by hand, from the press of the button to its outcome. */
export const infoRefreshSchema = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.literal('none') }),
  z.strictObject({ phase: z.literal('asked'), askedAtMs: z.number(), askedBy: z.string() }),
  z.strictObject({ phase: z.literal('waiting-for-return'), askedAtMs: z.number(), askedBy: z.string() }),
  z.strictObject({ phase: z.literal('failed'), askedAtMs: z.number(), failedAtMs: z.number(), reason: z.string() }),
]);
export type InfoRefresh = Readonly<z.infer<typeof infoRefreshSchema>>;

/** What a device works on. */
export const currentTaskSchema = z.strictObject({ runId: runIdSchema, taskId: taskIdSchema });

/** The fold of one device's events. */
export type Device = {
  readonly profile: DeviceProfile;
  readonly status: DeviceStatus;
  /** Why the status is what it is; set for `disconnected` and `failed`. */
  readonly statusReason: string | null;
  readonly statusSinceMs: number;
  /** Since when it takes work, or does not: attempts to connect and tasks in between do not count. */
  readonly reachSinceMs: number;
  readonly connectionAttempts: number;
  readonly currentTask: Readonly<z.infer<typeof currentTaskSchema>> | null;
  readonly info: DeviceInfo | null;
  readonly refresh: InfoRefresh;
  readonly addedAtMs: number;
};

export type Fleet = { readonly devices: ReadonlyMap<DeviceId, Device> };

export const EMPTY_FLEET: Fleet = { devices: new Map() };

/** Devices in these states take work; `busy` ones queue it. */
export function takesWork(status: DeviceStatus): boolean {
  return status === 'connected' || status === 'idle' || status === 'busy';
}
