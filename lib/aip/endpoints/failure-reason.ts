import { isJsonObject, type JsonValue } from '@/lib/std/json';

/**
 * Why a task failed, from its result, for servers that leave `error` empty, as stock ones do: `{failure}` when no round was
 * done, else the error of the command that failed in the last round; those after it were only skipped. Nesting is bounded by
 * the parser of the wire.
 *
 * @returns empty when nothing in the result says why
 */
export function failureReasonIn(result: JsonValue | undefined): string {
  if (Array.isArray(result)) return reasonInList(result);
  if (result === undefined || !isJsonObject(result)) return '';
  const { failure, error, result: inner } = result;
  for (const reason of [error, failure]) {
    if (typeof reason === 'string' && reason.trim() !== '') return reason;
    if (reason !== undefined && isJsonObject(reason) && typeof reason.message === 'string') return reason.message;
  }
  return failureReasonIn(inner);
}

function reasonInList(items: readonly JsonValue[]): string {
  const failed = items.find((item) => isJsonObject(item) && item.status === 'failure');
  return failureReasonIn(failed) || failureReasonIn(items.at(-1));
}
