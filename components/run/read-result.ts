import type { TaskResult } from '@/lib/run/run';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

export type Score = { readonly name: string; readonly value: string };

/** A result in the parts that a person reads one by one. */
export type ResultPart =
  | { readonly kind: 'round'; readonly number: number; readonly request: string | null; readonly result: JsonValue }
  | {
      readonly kind: 'evaluation';
      /** The evaluator's own word: `yes`, `no`, `unsure`, or another one. */
      readonly verdict: string | null;
      readonly reason: string | null;
      readonly scores: readonly Score[];
      /** What it said beside these three. */
      readonly rest: JsonObject;
    }
  | { readonly kind: 'value'; readonly value: JsonValue };

/**
 * Splits what a device server returns: a list with one `{request, result}` per round, and one more object when the
 * server judged the outcome. Anything else is one part as it is.
 *
 * @see AIP, TASK_END (microsoft/UFO, module/basic.py: the session's results)
 */
export function readResult(result: TaskResult): readonly ResultPart[] {
  if (result.kind !== 'inline') return [];
  if (!isList(result.value)) return [{ kind: 'value', value: result.value }];
  let rounds = 0;
  return result.value.map((entry): ResultPart => {
    if (!isJsonObject(entry)) return { kind: 'value', value: entry };
    if ('result' in entry && 'request' in entry) {
      rounds += 1;
      return { kind: 'round', number: rounds, request: textOf(entry.request), result: entry.result ?? null };
    }
    return isEvaluation(entry) ? toEvaluation(entry) : { kind: 'value', value: entry };
  });
}

/** `Array.isArray` alone does not narrow read-only lists. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const EVALUATION_KEYS = ['complete', 'sub_scores', 'reason'];

function isEvaluation(entry: JsonObject): boolean {
  return 'complete' in entry || 'sub_scores' in entry;
}

function toEvaluation(entry: JsonObject): ResultPart {
  const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => !EVALUATION_KEYS.includes(key)));
  return {
    kind: 'evaluation',
    verdict: textOf(entry.complete),
    reason: textOf(entry.reason),
    scores: scoresOf(entry.sub_scores ?? null),
    rest,
  };
}

/** Evaluators answer with `{name: verdict}` or with a list of `{name, evaluation}`. */
function scoresOf(value: JsonValue): Score[] {
  if (isList(value)) {
    return value.filter(isJsonObject).map((score) => ({
      name: textOf(score.name) ?? '',
      value: textOf(score.evaluation ?? score.score ?? score.value) ?? '',
    }));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).map(([name, score]) => ({ name, value: textOf(score) ?? '' }));
}

function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Text stays text; everything else is set as JSON that a person can read. */
export function toReadableText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
