import { z } from 'zod';
import { constellationIdSchema, type LineId, type TaskId } from '@/lib/std/ids';
import { type JsonObject, jsonObjectSchema } from '@/lib/std/json';
import {
  type TaskOutcome,
  type TaskStar,
  type TaskStarLine,
  taskOutcomeSchema,
  taskStarLineSchema,
  taskStarSchema,
} from './task-star';

/** The reference's seven words. */
export const CONSTELLATION_STATES = [
  'created',
  'ready',
  'executing',
  'completed',
  'failed',
  'partially_failed',
  'cancelled',
] as const;
export const constellationStateSchema = z.enum(CONSTELLATION_STATES);
export type ConstellationState = z.infer<typeof constellationStateSchema>;

/**
 * The plan: tasks and lines in insertion order, which is the order of ready lists and of the file.
 *
 * Times are ISO strings as the file had them, so that an export equals its import.
 */
export type Constellation = {
  readonly constellationId: z.infer<typeof constellationIdSchema>;
  readonly name: string;
  readonly metadata: JsonObject;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tasks: ReadonlyMap<TaskId, TaskStar>;
  readonly lines: ReadonlyMap<LineId, TaskStarLine>;
};

/** The same as plain JSON, for events and frames. */
export const constellationDocumentSchema = z.strictObject({
  constellationId: constellationIdSchema,
  name: z.string().max(1024),
  metadata: jsonObjectSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
  tasks: z.array(taskStarSchema),
  lines: z.array(taskStarLineSchema),
});
export type ConstellationDocument = z.infer<typeof constellationDocumentSchema>;

/** A task's past as a file told it, by task id. Tasks without an entry are pending. */
export const taskOutcomesSchema = z.array(z.tuple([z.string(), taskOutcomeSchema]));
export type ImportedOutcomes = ReadonlyMap<TaskId, TaskOutcome>;

export function toDocument(constellation: Constellation): ConstellationDocument {
  return { ...constellation, tasks: [...constellation.tasks.values()], lines: [...constellation.lines.values()] };
}

export function fromDocument(document: ConstellationDocument): Constellation {
  return {
    ...document,
    tasks: new Map(document.tasks.map((task) => [task.taskId, task])),
    lines: new Map(document.lines.map((line) => [line.lineId, line])),
  };
}
