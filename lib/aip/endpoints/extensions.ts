/** What two peers of ours can agree on beyond the stock protocol. Without agreement none of its frames is ever sent. */
export type Extension = 'device_info' | 'log' | 'cancel' | 'task_end' | 'deadline' | 'resume' | 'file';
