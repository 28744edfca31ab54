import { z } from 'zod';
import { flag, integer, optionalObject, optionalText } from './fields';
import { withoutNulls } from './without-nulls';

/** What a device says about itself in REGISTER `metadata.system_info`. Unknown members are kept: they are for people. */
export const deviceInfoSchema = z
  .looseObject({
    device_id: optionalText,
    platform: optionalText,
    os_version: optionalText,
    cpu_count: integer.nullish(),
    memory_total_gb: z.number().nullish(),
    hostname: optionalText,
    ip_address: optionalText,
    supported_features: z.array(z.string()).nullish(),
    platform_type: optionalText,
    schema_version: optionalText,
    custom_metadata: optionalObject,
    /** Set by a server that could not ask the device and answers from memory (extension `device_info`). */
    stale: flag.nullish(),
  })
  .transform(withoutNulls);
export type DeviceInfo = z.output<typeof deviceInfoSchema>;
