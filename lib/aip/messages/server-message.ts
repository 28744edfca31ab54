import { z } from 'zod';
import { commandSchema } from './command';
import { serverMessageTypeSchema, taskStatusSchema } from './enums';
import { optionalText, optionalTexts, optionalValue } from './fields';
import { withoutNulls } from './without-nulls';

const serverMessageModel = z.object({
  type: serverMessageTypeSchema,
  status: taskStatusSchema,
  user_request: optionalText,
  agent_name: optionalText,
  process_name: optionalText,
  root_name: optionalText,
  actions: z.array(commandSchema).nullish(),
  messages: optionalTexts,
  error: optionalText,
  session_id: optionalText,
  task_name: optionalText,
  timestamp: optionalText,
  response_id: optionalText,
  result: optionalValue,
});

export const serverMessageSchema = serverMessageModel.transform(withoutNulls);

/** What a device server says to a client. One flat model: no rule ties fields to a type. */
export type ServerMessage = z.output<typeof serverMessageSchema>;

/** All members in the order in which the wire carries them. */
export const SERVER_MESSAGE_FIELDS = serverMessageModel.keyof().options;
