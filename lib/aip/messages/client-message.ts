import { z } from 'zod';
import { resultSchema } from './command';
import { clientMessageTypeSchema, clientTypeSchema, taskStatusSchema } from './enums';
import { optionalObject, optionalText } from './fields';
import { withoutNulls } from './without-nulls';

const clientMessageModel = z.object({
  type: clientMessageTypeSchema,
  status: taskStatusSchema,
  client_type: clientTypeSchema.default('device'),
  session_id: optionalText,
  task_name: optionalText,
  client_id: optionalText,
  target_id: optionalText,
  request: optionalText,
  action_results: z.array(resultSchema).nullish(),
  timestamp: optionalText,
  request_id: optionalText,
  prev_response_id: optionalText,
  error: optionalText,
  metadata: optionalObject,
});

export const clientMessageSchema = clientMessageModel.transform(withoutNulls);

/** What a client (a device or a constellation) says to a device server. One flat model: no rule ties fields to a type. */
export type ClientMessage = z.output<typeof clientMessageSchema>;

/** All members in the order in which the wire carries them. */
export const CLIENT_MESSAGE_FIELDS = clientMessageModel.keyof().options;
