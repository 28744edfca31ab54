import { z } from 'zod';
import { lineIdSchema, taskIdSchema } from '@/lib/std/ids';
import { jsonObjectSchema, jsonValueSchema } from '@/lib/std/json';

/** The reference's six words. `waiting_dependency` is read as `pending` and never stored. */
export const TASK_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled', 'waiting_dependency'] as const;
export const taskStatusSchema = z.enum(TASK_STATUSES).exclude(['waiting_dependency']);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

export const DEPENDENCY_TYPES = ['unconditional', 'conditional', 'success_only', 'completion_only'] as const;
export const dependencyTypeSchema = z.enum(DEPENDENCY_TYPES);
export type DependencyType = z.infer<typeof dependencyTypeSchema>;

export const DEVICE_TYPES = ['windows', 'macos', 'linux', 'android', 'ios', 'web', 'api'] as const;
export const deviceTypeSchema = z.enum(DEVICE_TYPES);

/** 1 low, 2 medium, 3 high, 4 critical. */
export const prioritySchema = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]);
export type Priority = z.infer<typeof prioritySchema>;

/**
 * The plan of one task: what an editor may change. How it goes is in `lib/run`.
 *
 * Durations are milliseconds; the reference's JSON has seconds, which only the codec knows.
 */
export const taskStarSchema = z.strictObject({
  taskId: taskIdSchema,
  name: z.string().max(1024),
  description: z.string().max(262_144),
  /** null and [] are told apart in the reference's files, and stay so. */
  tips: z.array(z.string().max(65_536)).max(1024).nullable(),
  /** As the file names it; whether such a device exists is asked at launch. */
  targetDeviceId: z.string().max(256).nullable(),
  deviceType: deviceTypeSchema.nullable(),
  priority: prioritySchema,
  timeoutMs: z.number().positive().nullable(),
  retryCount: z.int().min(0),
  taskData: jsonObjectSchema,
  expectedOutputType: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type TaskStar = z.infer<typeof taskStarSchema>;

export const taskStarLineSchema = z.strictObject({
  lineId: lineIdSchema,
  fromTaskId: taskIdSchema,
  toTaskId: taskIdSchema,
  dependencyType: dependencyTypeSchema,
  conditionDescription: z.string().max(65_536),
  /** May hold `condition: {language, expression}`, which decides a conditional line. */
  metadata: jsonObjectSchema,
  /** As the file says; ours are derived from the tasks and never read back. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type TaskStarLine = z.infer<typeof taskStarLineSchema>;

/** What a file says of a task's past: kept for finished tasks, dropped (with a warning) for running ones. */
export const taskOutcomeSchema = z.strictObject({
  status: taskStatusSchema,
  result: jsonValueSchema,
  error: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  currentRetry: z.int().min(0),
});
export type TaskOutcome = z.infer<typeof taskOutcomeSchema>;
