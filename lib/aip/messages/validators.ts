import type { ClientMessage } from './client-message';
import type { Command } from './command';
import type { ServerMessage } from './server-message';

/**
 * The description's optional rules between members. A text of spaces counts as text here; the device server is stricter
 * about requests.
 */
export function isValidRegistration(message: ClientMessage): boolean {
  return message.type === 'register' && isText(message.client_id);
}

export function isValidTaskRequest(message: ClientMessage): boolean {
  return message.type === 'task' && isText(message.request) && isText(message.client_id);
}

export function isValidCommandResults(message: ClientMessage): boolean {
  return message.type === 'command_results' && isText(message.prev_response_id) && message.action_results !== undefined;
}

export function isValidServerMessage(message: ServerMessage): boolean {
  if (message.type !== 'command') return true;
  return message.actions !== undefined && message.actions.length > 0 && isText(message.response_id);
}

export function isValidCommand(command: Command): boolean {
  return command.tool_name !== '';
}

export function areValidCommands(commands: readonly Command[]): boolean {
  return commands.every(isValidCommand);
}

function isText(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
