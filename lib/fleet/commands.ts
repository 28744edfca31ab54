import { z } from 'zod';
import { deviceIdSchema } from '@/lib/std/ids';
import { jsonObjectSchema } from '@/lib/std/json';

const serverUrl = z.string().min(1, 'server_url must not be empty').max(2048);
const os = z.string().max(64);
const capabilities = z.array(z.string().min(1).max(128)).max(256);
const maxRetries = z.int().min(0).max(1000);

/** What an operator says when adding a device. `serverUrl` may hold a token; the relay seals it on entry. */
export const deviceDraftSchema = z.strictObject({
  deviceId: deviceIdSchema,
  serverUrl,
  os: os.default('unknown'),
  capabilities: capabilities.default([]),
  metadata: jsonObjectSchema.default({}),
  autoConnect: z.boolean().default(true),
  maxRetries: maxRetries.default(5),
});
export type DeviceDraft = z.infer<typeof deviceDraftSchema>;

/** Fields that are absent stay as they are. */
export const devicePatchSchema = z.strictObject({
  serverUrl: serverUrl.optional(),
  os: os.optional(),
  capabilities: capabilities.optional(),
  metadata: jsonObjectSchema.optional(),
  autoConnect: z.boolean().optional(),
  maxRetries: maxRetries.optional(),
});
export type DevicePatch = z.infer<typeof devicePatchSchema>;

/** What somebody wants of the fleet; may be refused. */
export const fleetCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('device-add'), device: deviceDraftSchema }),
  z.strictObject({ type: z.literal('device-edit'), deviceId: deviceIdSchema, patch: devicePatchSchema }),
  z.strictObject({ type: z.literal('device-remove'), deviceId: deviceIdSchema }),
  z.strictObject({ type: z.literal('device-refresh'), deviceId: deviceIdSchema, when: z.enum(['now', 'on-return']) }),
  z.strictObject({ type: z.literal('device-reconnect'), deviceId: deviceIdSchema }),
]);
export type FleetCommand = z.infer<typeof fleetCommandSchema>;
