import type { TaskStar } from './task-star';

/**
 * The text that a device gets for a task: description and tips, nothing else.
 *
 * @see microsoft/UFO, galaxy/constellation/task_star.py, to_request_string
 */
export function requestText({ description, tips }: Pick<TaskStar, 'description' | 'tips'>): string {
  const lines = tips === null || tips.length === 0 ? ['No tips available.'] : tips.map((tip) => ` - ${tip}`);
  return [`Task Description: ${description}`, 'Tips for Completion:', ...lines].join('\n');
}
