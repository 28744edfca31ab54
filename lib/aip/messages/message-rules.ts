import type { ClientMessage } from './client-message';
import type { ClientMessageType, ServerMessageType } from './enums';
import type { ServerMessage } from './server-message';

/** Why a message that can be read makes no sense all the same. */
export type RuleBreach = {
  readonly rule: string;
  /** What was expected; names members, repeats no value. */
  readonly reason: string;
  /** Set where the protocol drops such a message without a word: an answer would tell its sender nothing that it knows. */
  readonly isUnanswered?: true;
};

type Rule<Message> = RuleBreach & { readonly isBroken: (message: Message) => boolean };

const registerNamesClient: Rule<ClientMessage> = {
  rule: 'register-names-client',
  reason: 'Expected client_id in a REGISTER; nobody could be addressed without one',
  isBroken: (message) => isBlank(message.client_id),
};

const taskHasRequest: Rule<ClientMessage> = {
  rule: 'task-has-request',
  reason: 'Expected a text in request of a TASK, got none or only spaces; say what shall be done',
  isBroken: (message) => isBlank(message.request),
};

const resultsNameSession: Rule<ClientMessage> = {
  rule: 'results-name-session',
  reason: 'Expected session_id in COMMAND_RESULTS; copy it from the COMMAND',
  isBroken: (message) => isBlank(message.session_id),
  isUnanswered: true,
};

const resultsNameCommand: Rule<ClientMessage> = {
  rule: 'results-name-command',
  reason: 'Expected prev_response_id in COMMAND_RESULTS; copy the response_id of the COMMAND',
  isBroken: (message) => isBlank(message.prev_response_id),
  isUnanswered: true,
};

const endNamesSession: Rule<ClientMessage | ServerMessage> = {
  rule: 'task-end-names-session',
  reason: 'Expected session_id in a TASK_END; nothing says which task has ended',
  isBroken: (message) => isBlank(message.session_id),
};

const endHasOutcome: Rule<ClientMessage> = {
  rule: 'task-end-has-outcome',
  reason: 'Expected status completed or failed in a TASK_END',
  isBroken: ({ status }) => status !== 'completed' && status !== 'failed',
};

const reportNamesSession: Rule<ClientMessage> = {
  rule: 'log-names-session',
  reason: 'Expected session_id beside metadata.messages of a HEARTBEAT; nothing says which task has written the lines',
  isBroken: (message) => message.metadata?.messages !== undefined && isBlank(message.session_id),
};

const noticeNamesSession: Rule<ServerMessage> = {
  rule: 'log-names-session',
  reason: 'Expected session_id beside messages of a HEARTBEAT; nothing says which task has written the lines',
  isBroken: (message) => message.messages !== undefined && isBlank(message.session_id),
};

/**
 * Only what no peer can mean. What stock peers send, however odd, keeps all rules: results that are `null`, a TASK of a
 * device without a session, questions without an id, heartbeats that name nobody. An ERROR is never refused, or two peers
 * would refuse each other's refusals for ever.
 */
const CLIENT_RULES: Record<ClientMessageType, readonly Rule<ClientMessage>[]> = {
  register: [registerNamesClient],
  task: [taskHasRequest],
  command_results: [resultsNameSession, resultsNameCommand],
  task_end: [endNamesSession, endHasOutcome],
  heartbeat: [reportNamesSession],
  device_info_request: [],
  device_info_response: [],
  error: [],
};

/** A device answers every COMMAND and every TASK, even an empty one, and a constellation takes any outcome of a task. */
const SERVER_RULES: Record<ServerMessageType, readonly Rule<ServerMessage>[]> = {
  command: [],
  task: [],
  task_end: [endNamesSession],
  heartbeat: [noticeNamesSession],
  device_info_request: [],
  device_info_response: [],
  error: [],
};

/** @returns the first rule that the message breaks; undefined when it keeps all */
export function validateClientMessage(message: ClientMessage): RuleBreach | undefined {
  return firstBreach(message, CLIENT_RULES[message.type]);
}

/** @returns the first rule that the message breaks; undefined when it keeps all */
export function validateServerMessage(message: ServerMessage): RuleBreach | undefined {
  return firstBreach(message, SERVER_RULES[message.type]);
}

function firstBreach<Message>(message: Message, rules: readonly Rule<Message>[]): RuleBreach | undefined {
  const broken = rules.find((rule) => rule.isBroken(message));
  if (!broken) return undefined;
  const { rule, reason, isUnanswered } = broken;
  return { rule, reason, ...(isUnanswered && { isUnanswered }) };
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
