import { z } from 'zod';
import { deviceIdSchema } from '@/lib/std/ids';
import { currentTaskSchema, deviceInfoSchema, deviceProfileSchema, deviceStatusSchema } from './device';

const deviceId = deviceIdSchema;
const atMs = z.number();
/** Who did it: an operator's name, `api`, `relay`. */
const actor = z.string().max(128);

/** Everything that can happen to the fleet. Past tense, never refused, never changed. */
export const fleetEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('device-added'), atMs, actor, profile: deviceProfileSchema }),
  z.strictObject({ type: z.literal('device-edited'), atMs, actor, profile: deviceProfileSchema }),
  z.strictObject({ type: z.literal('device-removed'), atMs, actor, deviceId, reason: z.string() }),
  z.strictObject({
    type: z.literal('device-status-changed'),
    atMs,
    deviceId,
    status: deviceStatusSchema,
    reason: z.string().nullable(),
    connectionAttempts: z.int(),
  }),
  z.strictObject({
    type: z.literal('device-work-changed'),
    atMs,
    deviceId,
    currentTask: currentTaskSchema.nullable(),
  }),
  z.strictObject({ type: z.literal('device-info-asked'), atMs, actor, deviceId, when: z.enum(['now', 'on-return']) }),
  z.strictObject({
    type: z.literal('device-info-received'),
    atMs,
    deviceId,
    ...deviceInfoSchema.shape,
  }),
  z.strictObject({ type: z.literal('device-info-failed'), atMs, deviceId, reason: z.string() }),
]);
export type FleetEvent = z.infer<typeof fleetEventSchema>;
