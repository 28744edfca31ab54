/** What two peers of ours can agree on beyond the stock protocol. Without agreement none of its frames is ever sent. */
export const EXTENSIONS = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume', 'file'] as const;
export type Extension = (typeof EXTENSIONS)[number];
