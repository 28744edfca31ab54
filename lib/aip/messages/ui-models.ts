import { z } from 'zod';
import { integer, optionalFlag, optionalInteger, optionalObject, optionalText } from './fields';
import { withoutNulls } from './without-nulls';

/**
 * Models that stand inside free payloads. A message is never refused for one of them: they are read, if at all, by
 * whoever shows the payload.
 */
export const rectSchema = z.object({ x: integer, y: integer, width: integer, height: integer });
export type Rect = z.output<typeof rectSchema>;

const controlInfoModel = z.object({
  annotation_id: optionalText,
  name: optionalText,
  title: optionalText,
  handle: optionalInteger,
  class_name: optionalText,
  rectangle: rectSchema.nullish(),
  control_type: optionalText,
  automation_id: optionalText,
  is_enabled: optionalFlag,
  is_visible: optionalFlag,
  source: optionalText,
  text_content: optionalText,
});
export const controlInfoSchema = controlInfoModel.transform(withoutNulls);
export type ControlInfo = z.output<typeof controlInfoSchema>;

export const windowInfoSchema = controlInfoModel
  .extend({
    process_id: optionalInteger,
    process_name: optionalText,
    is_minimized: optionalFlag,
    is_maximized: optionalFlag,
    is_active: optionalFlag,
  })
  .transform(withoutNulls);
export type WindowInfo = z.output<typeof windowInfoSchema>;

export const appWindowControlInfoSchema = z
  .object({ window_info: windowInfoSchema, controls: z.array(controlInfoSchema).nullish() })
  .transform(withoutNulls);
export type AppWindowControlInfo = z.output<typeof appWindowControlInfoSchema>;

/** One tool of a device's catalogue; `tool_type` is free text here, unlike in a command. */
export const mcpToolInfoSchema = z
  .object({
    tool_key: z.string(),
    tool_name: z.string(),
    title: optionalText,
    namespace: z.string(),
    tool_type: z.string(),
    description: optionalText,
    input_schema: optionalObject,
    output_schema: optionalObject,
    meta: optionalObject,
    annotations: optionalObject,
  })
  .transform(withoutNulls);
export type McpToolInfo = z.output<typeof mcpToolInfoSchema>;
