import { describeJson } from '@/lib/std/describe-json';
import { isJsonObject, type JsonValue } from '@/lib/std/json';
import type { ImportContext } from './import-context';
import { addProblem, fieldOf, type Place, readText } from './import-report';

/** Which objects of the file, and by which field they name themselves. */
type Container = {
  readonly container: 'tasks' | 'dependencies';
  readonly idField: 'task_id' | 'line_id';
  readonly word: 'task' | 'line';
};
export type Entry = { readonly id: string; readonly place: Place };

/** The objects of a container with their ids, each id once. */
export function* entriesOf(root: Place, what: Container, context: ImportContext): Generator<Entry> {
  const { container, idField, word } = what;
  const { report } = root;
  const seen = new Map<string, string>();
  for (const { key, path, value } of rawEntries(root, container)) {
    if (!isJsonObject(value)) {
      report.problems.push({
        rule: 'shape',
        path,
        message: `expected a ${word} object, got ${describeJson(value)}`,
        ids: [],
      });
      continue;
    }
    const place: Place = { fields: value, path, report };
    const written = readText(place, idField) ?? '';
    if (key !== null && written !== key) {
      const message = `expected "${key}", as its key says, got ${describeJson(fieldOf(place, idField))}`;
      report.problems.push({
        rule: 'id_mismatch',
        path: `${path}.${idField}`,
        message,
        ids: [key, written].filter(Boolean),
      });
    }
    const id = written || freshId(word, seen, context);
    const first = seen.get(id);
    if (first !== undefined) {
      const message = `the id "${id}" is taken by ${first} already; every ${word} needs its own`;
      report.problems.push({ rule: `duplicate_${word}`, path: `${path}.${idField}`, message, ids: [id] });
      continue;
    }
    seen.set(id, path);
    yield { id, place };
  }
}

type RawEntry = { readonly key: string | null; readonly path: string; readonly value: JsonValue };

function rawEntries(root: Place, container: 'tasks' | 'dependencies'): RawEntry[] {
  const value = root.fields[container];
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return value.map((entry, index) => ({ key: null, path: `${container}[${index}]`, value: entry }));
  }
  if (isJsonObject(value)) {
    return Object.entries(value).map(([key, entry]) => ({ key, path: `${container}.${key}`, value: entry }));
  }
  addProblem(root, container, `expected an object by id or a list, got ${describeJson(value)}`);
  return [];
}

/** As the reference names what has no id. */
function freshId(word: 'task' | 'line', taken: ReadonlyMap<string, string>, context: ImportContext): string {
  const id = `${word}_${context.newHex().slice(0, 8)}`;
  return taken.has(id) ? `${id}_${taken.size}` : id;
}
