import { z } from 'zod';
import { importWarningSchema } from '@/lib/constellation/import-warning';
import { deviceStatusSchema, infoOriginSchema } from '@/lib/fleet/device';
import { jsonObjectSchema } from '@/lib/std/json';
import { roleSchema } from './commands';

/** A device as `GET /v1/devices` shows it. Times are ISO 8601 in UTC. */
export const deviceResourceSchema = z.strictObject({
  device_id: z.string(),
  /** Redacted: without query, userinfo and fragment. */
  server_url: z.string(),
  os: z.string(),
  capabilities: z.array(z.string()),
  metadata: jsonObjectSchema,
  auto_connect: z.boolean(),
  max_retries: z.int(),
  status: deviceStatusSchema,
  status_reason: z.string().nullable(),
  status_since: z.string(),
  connection_attempts: z.int(),
  last_heartbeat: z.string().nullable(),
  current_task_id: z.string().nullable(),
  current_run_id: z.string().nullable(),
  info: jsonObjectSchema.nullable(),
  /** When the device said it. */
  info_at: z.string().nullable(),
  info_asked_at: z.string().nullable(),
  info_origin: infoOriginSchema.nullable(),
});
export type DeviceResource = z.infer<typeof deviceResourceSchema>;

/** Answer of `GET /v1/runs/{id}/tasks/{taskId}/output`. Lines are numbered from 0 within an attempt. */
export const taskOutputSchema = z.strictObject({
  /** Null when nothing is kept: the task was not sent since the relay started, or others have taken its room. */
  attempt: z.int().nullable(),
  /** Whether the device server tells lines while the task runs; null when no attempt is known. */
  is_live: z.boolean().nullable(),
  /** The first line that is kept; so many are left out. */
  first_line: z.int(),
  /** The number of the first of `lines`. */
  start_line: z.int(),
  next_line: z.int(),
  lines: z.array(z.string()),
});
export type TaskOutputResource = z.infer<typeof taskOutputSchema>;

/** RFC 9457; `errors` names each place. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  code: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), rule: z.string().optional(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Answer of `POST /v1/runs`. */
export const runCreatedSchema = z.strictObject({ id: z.string(), warnings: z.array(importWarningSchema) });

/** Answer of `POST /v1/devices/import` for a stock devices.yaml. */
export const devicesImportedSchema = z.strictObject({
  added: z.array(z.string()),
  skipped: z.array(z.strictObject({ device_id: z.string(), reason: z.string() })),
});
export type DevicesImported = z.infer<typeof devicesImportedSchema>;

/** `POST /v1/session` with the code of a sign-in link; `GET /v1/session` tells who is signed in. */
export const sessionRequestSchema = z.strictObject({ code: z.string().min(1).max(256) });
export const sessionSchema = z.strictObject({ actor: z.string(), role: roleSchema });
export type Session = z.infer<typeof sessionSchema>;

/** Answer of `POST /v1/tickets`: good once, for 30 s, as the `ticket` of a `hello`. */
export const ticketSchema = z.strictObject({ ticket: z.string(), expires_in_seconds: z.number() });
