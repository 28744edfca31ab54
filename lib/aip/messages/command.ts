import { z } from 'zod';
import { resultStatusSchema, toolTypeSchema } from './enums';
import { optionalObject, optionalText, optionalValue } from './fields';
import { withoutNulls } from './without-nulls';

const commandModel = z.object({
  tool_name: z.string(),
  parameters: optionalObject,
  tool_type: toolTypeSchema,
  call_id: optionalText,
});
export const commandSchema = commandModel.transform(withoutNulls);
/** One action that a device shall take. */
export type Command = z.output<typeof commandSchema>;
export const COMMAND_FIELDS = commandModel.keyof().options;

const resultModel = z.object({
  status: resultStatusSchema,
  error: optionalText,
  result: optionalValue,
  namespace: optionalText,
  call_id: optionalText,
});
export const resultSchema = resultModel.transform(withoutNulls);
/** What came of one command. An absent `result` is the wire's `null`; `false`, `0` and `""` are kept. */
export type CommandResult = z.output<typeof resultSchema>;
export const RESULT_FIELDS = resultModel.keyof().options;
