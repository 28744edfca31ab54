import type { ClientMessage } from './client-message';
import type { Command } from './command';
import { validateClientMessage, validateServerMessage } from './message-rules';
import type { ServerMessage } from './server-message';

/**
 * The verdicts of the protocol's own optional validators. A text of spaces counts as text here, and some of what they
 * refuse must be handled all the same: endpoints run the rules, which know of both.
 */
export const messageValidator = {
  validateRegistration(message: ClientMessage): boolean {
    return message.type === 'register' && isText(message.client_id);
  },
  validateTaskRequest(message: ClientMessage): boolean {
    return message.type === 'task' && isText(message.request) && isText(message.client_id);
  },
  validateCommandResults(message: ClientMessage): boolean {
    const { type, prev_response_id: prevResponseId, action_results: results } = message;
    return type === 'command_results' && isText(prevResponseId) && results !== undefined;
  },
  validateServerMessage({ type, actions, response_id: responseId }: ServerMessage): boolean {
    return type !== 'command' || (actions !== undefined && actions.length > 0 && isText(responseId));
  },
  validateCommand: isValidCommand,
  validateCommands: (commands: readonly Command[]): boolean => commands.every(isValidCommand),
  /** The rules that endpoints run: what a client may not say to a server. */
  breachOfClientMessage: validateClientMessage,
  /** The rules that endpoints run: what a server may not say to a client. */
  breachOfServerMessage: validateServerMessage,
};

function isValidCommand(command: Command): boolean {
  return command.tool_name !== '';
}

function isText(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
