import { z } from 'zod';

/** The words of the wire, matched exactly and case-sensitively. */
export const clientMessageTypeSchema = z.enum([
  'task',
  'heartbeat',
  'command_results',
  'error',
  'register',
  'task_end',
  'device_info_request',
  'device_info_response',
]);
export type ClientMessageType = z.infer<typeof clientMessageTypeSchema>;

export const serverMessageTypeSchema = z.enum([
  'task',
  'heartbeat',
  'task_end',
  'command',
  'error',
  'device_info_request',
  'device_info_response',
]);
export type ServerMessageType = z.infer<typeof serverMessageTypeSchema>;

export const taskStatusSchema = z.enum(['continue', 'completed', 'failed', 'ok', 'error']);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

export const clientTypeSchema = z.enum(['device', 'constellation']);
export type ClientType = z.infer<typeof clientTypeSchema>;

export const resultStatusSchema = z.enum(['success', 'failure', 'skipped', 'none']);
export type ResultStatus = z.infer<typeof resultStatusSchema>;

export const toolTypeSchema = z.enum(['data_collection', 'action']);
export type ToolType = z.infer<typeof toolTypeSchema>;
