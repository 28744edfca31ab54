import { z } from 'zod';
import { taskIdSchema } from '@/lib/std/ids';

/**
 * Registers of a run's stream whose key begins so have an `OutputMark` as value, one register per task. What follows is a
 * number, since the id of a task may be longer than a key.
 */
export const OUTPUT_PREFIX = 'output/';

/**
 * How far the output of a task's newest attempt reaches. The lines themselves are fetched over HTTP by whoever looks at the
 * task, so output costs nobody anything who does not look.
 */
export const outputMarkSchema = z.strictObject({
  taskId: taskIdSchema,
  attempt: z.int().min(1),
  /** Whether the device server tells lines while the task runs. */
  isLive: z.boolean(),
  /** Lines are numbered from 0; those before this one are left out. */
  firstLine: z.int().min(0),
  /** The number that the next line will have. */
  nextLine: z.int().min(0),
});
export type OutputMark = Readonly<z.infer<typeof outputMarkSchema>>;
