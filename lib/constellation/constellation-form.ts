import { z } from 'zod';
import { jsonObjectSchema, jsonValueSchema } from '@/lib/std/json';
import { constellationStateSchema } from './constellation';
import { dependencyTypeSchema, deviceTypeSchema, prioritySchema, taskStatusSchema } from './task-star';

/**
 * The JSON form in which the reference saves a constellation (`to_dict`): snake_case, seconds, ISO times. It exists on
 * files and in HTTP bodies only.
 *
 * @see microsoft/UFO, galaxy/constellation/task_star.py, task_star_line.py, task_constellation.py
 */
export const taskFormSchema = z.strictObject({
  task_id: z.string(),
  name: z.string(),
  description: z.string(),
  tips: z.array(z.string()).nullable(),
  /** Always equal to `description`. */
  task_description: z.string(),
  target_device_id: z.string().nullable(),
  device_type: deviceTypeSchema.nullable(),
  priority: prioritySchema,
  status: taskStatusSchema,
  result: jsonValueSchema,
  error: z.string().nullable(),
  /** Seconds. */
  timeout: z.number().nullable(),
  retry_count: z.int(),
  current_retry: z.int(),
  task_data: jsonObjectSchema,
  expected_output_type: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  execution_start_time: z.string().nullable(),
  execution_end_time: z.string().nullable(),
  /** Seconds. */
  execution_duration: z.number().nullable(),
  /** Ids of prerequisites that are still awaited. */
  dependencies: z.array(z.string()),
  dependents: z.array(z.string()),
});
export type TaskForm = z.infer<typeof taskFormSchema>;

const lineFormSchema = z.strictObject({
  line_id: z.string(),
  from_task_id: z.string(),
  to_task_id: z.string(),
  dependency_type: dependencyTypeSchema,
  condition_description: z.string(),
  metadata: jsonObjectSchema,
  is_satisfied: z.boolean(),
  last_evaluation_result: z.boolean().nullable(),
  last_evaluation_time: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type LineForm = z.infer<typeof lineFormSchema>;

export const constellationFormSchema = z.strictObject({
  constellation_id: z.string(),
  name: z.string(),
  state: constellationStateSchema,
  tasks: z.record(z.string(), taskFormSchema),
  dependencies: z.record(z.string(), lineFormSchema),
  metadata: jsonObjectSchema,
  created_at: z.string(),
  updated_at: z.string(),
  execution_start_time: z.string().nullable(),
  execution_end_time: z.string().nullable(),
  /** Seconds. */
  execution_duration: z.number().nullable(),
});
export type ConstellationForm = z.infer<typeof constellationFormSchema>;
