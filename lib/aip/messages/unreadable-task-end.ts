import { z } from 'zod';
import { peekRefusedJson } from './aip-json';

const endSchema = z.object({ type: z.literal('task_end'), session_id: z.string().min(1) });

/**
 * The session of a TASK_END that is no message otherwise, by its result or a word that nobody knows: the task has ended,
 * whatever it came to, and must not wait for its time limit.
 *
 * @returns undefined for any other text
 */
export function sessionOfUnreadableEnd(text: string): string | undefined {
  const end = endSchema.safeParse(peekRefusedJson(text));
  return end.success ? end.data.session_id : undefined;
}
