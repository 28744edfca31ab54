import type { CommandResult } from '@/lib/aip/messages';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

/** What a tool call brought, as the Model Context Protocol says it. */
export type ToolAnswer = {
  readonly content?: readonly JsonObject[] | undefined;
  readonly structuredContent?: JsonObject | undefined;
  readonly isError?: boolean | undefined;
};

/**
 * The payload of an answer: structured content as it is, one text as text, several parts as a list, nothing as null.
 * Falsy payloads stay what they are.
 */
export function toPayload({ content = [], structuredContent }: ToolAnswer): JsonValue {
  if (structuredContent !== undefined) return structuredContent;
  const parts = content.map((part) => textOf(part) ?? part);
  const [first = null] = parts;
  return parts.length <= 1 ? first : parts;
}

/** A tool's own error becomes a failure with its first text, as the stock device does it. */
export function toCommandResult(answer: ToolAnswer, namespace: string): CommandResult {
  if (answer.isError !== true) return { status: 'success', result: toPayload(answer), namespace };
  const texts = (answer.content ?? []).map(textOf).filter((text) => text !== undefined && text !== '');
  return { status: 'failure', error: texts[0] ?? 'The tool failed without saying why', namespace };
}

function textOf(part: JsonObject): string | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  const resource = part.type === 'resource' ? part.resource : undefined;
  return isJsonObject(resource) && typeof resource.text === 'string' ? resource.text : undefined;
}
