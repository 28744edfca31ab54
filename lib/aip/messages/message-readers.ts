import type { ClientMessage } from './client-message';
import type { Command, CommandResult } from './command';
import {
  clientMessageTypeSchema,
  clientTypeSchema,
  resultStatusSchema,
  serverMessageTypeSchema,
  taskStatusSchema,
  toolTypeSchema,
} from './enums';
import {
  absentOr,
  createModelReader,
  optionalListOf,
  readOptionalObject,
  readOptionalText,
  readOptionalTexts,
  readOptionalValue,
  readText,
  wordOf,
} from './model-reader';
import type { ServerMessage } from './server-message';

const readCommand = createModelReader<Command>({
  tool_name: readText,
  parameters: readOptionalObject,
  tool_type: wordOf(toolTypeSchema.options),
  call_id: readOptionalText,
});

const readResult = createModelReader<CommandResult>({
  status: wordOf(resultStatusSchema.options),
  error: readOptionalText,
  result: readOptionalValue,
  namespace: readOptionalText,
  call_id: readOptionalText,
});

export const readClientMessage = createModelReader<ClientMessage>({
  type: wordOf(clientMessageTypeSchema.options),
  status: wordOf(taskStatusSchema.options),
  client_type: absentOr('device', wordOf(clientTypeSchema.options)),
  session_id: readOptionalText,
  task_name: readOptionalText,
  client_id: readOptionalText,
  target_id: readOptionalText,
  request: readOptionalText,
  action_results: optionalListOf(readResult),
  timestamp: readOptionalText,
  request_id: readOptionalText,
  prev_response_id: readOptionalText,
  error: readOptionalText,
  metadata: readOptionalObject,
});

export const readServerMessage = createModelReader<ServerMessage>({
  type: wordOf(serverMessageTypeSchema.options),
  status: wordOf(taskStatusSchema.options),
  user_request: readOptionalText,
  agent_name: readOptionalText,
  process_name: readOptionalText,
  root_name: readOptionalText,
  actions: optionalListOf(readCommand),
  messages: readOptionalTexts,
  error: readOptionalText,
  session_id: readOptionalText,
  task_name: readOptionalText,
  timestamp: readOptionalText,
  response_id: readOptionalText,
  result: readOptionalValue,
});
