import { z } from 'zod';
import { peekRefusedJson, type TaskStatus, taskStatusSchema } from '@/lib/aip/messages';
import { isJsonObject, type JsonValue } from '@/lib/std/json';

/** What can be read of a COMMAND that is none: whom an answer is for, and what it must name. */
export type UnreadableCommand = {
  readonly status: TaskStatus;
  readonly session_id: string | undefined;
  readonly response_id: string | undefined;
  /** One for each action, in order. */
  readonly callIds: readonly (string | undefined)[];
};

const commandType = z.literal('command');

/** @returns undefined when the text is no COMMAND at all */
export function readUnreadableCommand(text: string): UnreadableCommand | undefined {
  const json = peekRefusedJson(text);
  if (!isJsonObject(json) || !commandType.safeParse(json.type).success) return undefined;
  const { status, session_id, response_id, actions } = json;
  const knownStatus = taskStatusSchema.safeParse(status);
  return {
    status: knownStatus.success ? knownStatus.data : 'continue',
    session_id: textOf(session_id),
    response_id: textOf(response_id),
    callIds: Array.isArray(actions) ? actions.map(callIdOf) : [],
  };
}

function callIdOf(action: JsonValue): string | undefined {
  return isJsonObject(action) ? textOf(action.call_id) : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
