import { z } from 'zod';
import { type TaskStatus, taskStatusSchema } from '@/lib/aip/messages';
import { isJsonObject, type JsonValue, parseJson } from '@/lib/std/json';

/** What can be read of a COMMAND that is none: whom an answer is for, and what it must name. */
export type UnreadableCommand = {
  readonly status: TaskStatus;
  readonly session_id: string | undefined;
  readonly response_id: string | undefined;
  /** One for each action, in order. */
  readonly callIds: readonly (string | undefined)[];
};

/** More than a message may have, so that one that is just too deep is answered and not left in silence. */
const DEPTH_MAX = 2_000;
/** Escapes of halves of characters; which ones lack their other half does not matter for ids. */
const SURROGATES = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

const commandType = z.literal('command');

/** @returns undefined when the text is no COMMAND at all */
export function readUnreadableCommand(text: string): UnreadableCommand | undefined {
  const json = parseJson(text.replace(SURROGATES, '\\ufffd'), { depthMax: DEPTH_MAX, protoKey: 'keep' });
  if (!json.ok || !isJsonObject(json.value) || !commandType.safeParse(json.value.type).success) return undefined;
  const { status, session_id, response_id, actions } = json.value;
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
