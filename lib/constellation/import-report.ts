import { describeJson } from '@/lib/std/describe-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import type { ImportWarning } from './import-warning';
import { parseTimestamp } from './timestamps';

/** What can be wrong with a file. `shape` covers everything that stands where something else was expected. */
export type ImportRule =
  | 'not_json'
  | 'shape'
  | 'task_field'
  | 'duplicate_task'
  | 'duplicate_line'
  | 'id_mismatch'
  | 'missing_source'
  | 'missing_target'
  | 'cycle';

/** Why a file was refused; one entry per defect. */
export type ImportProblem = {
  readonly rule: ImportRule;
  /** Where in the file, such as `dependencies.line-3.to_task_id` or `tasks[2]`; empty for the whole. */
  readonly path: string;
  /** What was expected and what came. */
  readonly message: string;
  /** The tasks or lines involved; for a cycle its tasks in order, the first repeated at the end. */
  readonly ids: readonly string[];
};

/** Collects what is wrong or odd while a file is read, so that all of it is told at once. */
export type ImportReport = {
  readonly problems: ImportProblem[];
  readonly warnings: ImportWarning[];
  /** Fields that nobody knows, by name, with where they stood first and how often. */
  readonly unknownFields: Map<string, { readonly path: string; count: number }>;
  readonly nowText: string;
};

export function createImportReport(nowText: string): ImportReport {
  return { problems: [], warnings: [], unknownFields: new Map(), nowText };
}

/** One object of the file, with its place, and where to report. */
export type Place = { readonly fields: JsonObject; readonly path: string; readonly report: ImportReport };

export function pathOf(place: Place, name: string): string {
  return place.path === '' ? name : `${place.path}.${name}`;
}

export function addProblem(place: Place, name: string, message: string): void {
  place.report.problems.push({ rule: 'shape', path: pathOf(place, name), message, ids: [] });
}

export function addWarning(place: Place, name: string, message: string): void {
  place.report.warnings.push({ path: pathOf(place, name), message });
}

/** Null and absent are one: the reference writes null where it has nothing. */
export function fieldOf({ fields }: Place, name: string): JsonValue | undefined {
  const value = fields[name];
  return value === null ? undefined : value;
}

export function readText(place: Place, name: string): string | null {
  const value = fieldOf(place, name);
  if (value === undefined || typeof value === 'string') return value ?? null;
  addProblem(place, name, `expected text, got ${describeJson(value)}`);
  return null;
}

export function readObject(place: Place, name: string): JsonObject {
  const value = fieldOf(place, name);
  if (value === undefined) return {};
  if (isJsonObject(value)) return value;
  addProblem(place, name, `expected an object, got ${describeJson(value)}`);
  return {};
}

export function readCount(place: Place, name: string): number {
  const value = fieldOf(place, name);
  if (value === undefined) return 0;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  const message = `expected a whole number that is not negative, got ${describeJson(value)}`;
  place.report.problems.push({ rule: 'task_field', path: pathOf(place, name), message, ids: [] });
  return 0;
}

/** Seconds in the file, milliseconds here. Numbers in quotes are taken, as the schema form does. */
export function readSeconds(place: Place, name: string): number | null {
  const value = fieldOf(place, name);
  if (value === undefined) return null;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds * 1000;
  const message = `expected seconds above 0, or null for no limit, got ${describeJson(value)}`;
  place.report.problems.push({ rule: 'task_field', path: pathOf(place, name), message, ids: [] });
  return null;
}

export function readTime(place: Place, name: string): string | null {
  const text = readText(place, name);
  if (text === null) return null;
  const parsed = parseTimestamp(text);
  if (parsed.ok) return parsed.value.text;
  addProblem(place, name, `expected ${parsed.error}, got ${describeJson(text)}`);
  return null;
}

/** A time that a file need not have: then it is that of the import. */
export function readTimeOrNow(place: Place, name: string): string {
  return readTime(place, name) ?? place.report.nowText;
}

export type EnumField<Value, Fallback> = {
  readonly name: string;
  readonly words: readonly Value[];
  /** What the reference falls back to, for unknown text and for none. */
  readonly fallback: Fallback;
};

/** In any letter case. What the reference would swallow in silence becomes a warning here. */
export function readWord<const Value extends string, const Fallback>(
  place: Place,
  { name, words, fallback }: EnumField<Value, Fallback>,
): Value | Fallback {
  const value = fieldOf(place, name);
  if (value === undefined) return fallback;
  const word = typeof value === 'string' ? words.find((known) => known === value.toLowerCase()) : undefined;
  if (word !== undefined) return word;
  addWarning(place, name, fallbackMessage(words, value, fallback));
  return fallback;
}

export function fallbackMessage(words: readonly unknown[], value: JsonValue, fallback: unknown): string {
  const taken = fallback === null ? 'nothing' : String(fallback);
  return `expected one of ${words.join(', ')}, got ${describeJson(value)}; ${taken} was taken`;
}

/** @param kind - what the fields belong to, so that the same name in tasks and lines is told apart */
export function noteUnknownFields(place: Place, kind: string, known: ReadonlySet<string>): void {
  for (const name of Object.keys(place.fields)) {
    if (known.has(name)) continue;
    const key = `${kind}.${name}`;
    const noted = place.report.unknownFields.get(key);
    if (noted === undefined) place.report.unknownFields.set(key, { path: pathOf(place, name), count: 1 });
    else noted.count += 1;
  }
}

export function unknownFieldWarnings(report: ImportReport): ImportWarning[] {
  return [...report.unknownFields.values()].map(({ path, count }) => {
    const times = count === 1 ? '' : `, here and in ${count - 1} more places`;
    return { path, message: `this field is not known and was ignored${times}` };
  });
}
