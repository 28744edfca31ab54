import type { AipMessage } from './middleware';

/** What may be told of a message: what it is and which others it belongs to; never what it carries. */
export type MessageFacts = {
  readonly type: AipMessage['type'];
  readonly status: AipMessage['status'];
  readonly sessionId?: string;
  readonly taskName?: string;
  readonly clientId?: string;
  readonly targetId?: string;
  readonly requestId?: string;
  readonly responseId?: string;
  readonly prevResponseId?: string;
  /** The tools of a COMMAND, one for each action. */
  readonly tools?: readonly string[];
  /** How each action of a COMMAND_RESULTS ended. */
  readonly results?: readonly string[];
};

/** A peer chooses names and their number; a line about them stays readable. */
const TEXT_LENGTH_MAX = 128;
const ITEMS_MAX = 32;

export function messageFacts(message: AipMessage): MessageFacts {
  const texts = {
    sessionId: message.session_id,
    taskName: message.task_name,
    clientId: 'client_id' in message ? message.client_id : undefined,
    targetId: 'target_id' in message ? message.target_id : undefined,
    requestId: 'request_id' in message ? message.request_id : undefined,
    responseId: 'response_id' in message ? message.response_id : undefined,
    prevResponseId: 'prev_response_id' in message ? message.prev_response_id : undefined,
  };
  const known = Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, shortened(text)]]));
  const tools = 'actions' in message ? message.actions?.map(({ tool_name }) => tool_name) : undefined;
  const results = 'action_results' in message ? message.action_results?.map(({ status }) => status) : undefined;
  return {
    type: message.type,
    status: message.status,
    ...Object.fromEntries(known),
    ...(tools && { tools: listed(tools) }),
    ...(results && { results: listed(results) }),
  };
}

function shortened(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).toWellFormed()}…`;
}

function listed(items: readonly string[]): readonly string[] {
  const shown = items.slice(0, ITEMS_MAX).map(shortened);
  return items.length <= ITEMS_MAX ? shown : [...shown, `and ${items.length - ITEMS_MAX} more`];
}
