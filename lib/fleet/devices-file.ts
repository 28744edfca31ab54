import { describeIssue } from '@/lib/std/describe-issue';
import { describeJson } from '@/lib/std/describe-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import { type DeviceDraft, deviceDraftSchema } from './commands';

/** What is wrong in a devices file, with its place in it. */
export type DevicesFileProblem = { readonly path: string; readonly message: string };

/** Devices that can be added, and entries that cannot. */
export type DevicesFile = {
  readonly drafts: readonly DeviceDraft[];
  readonly problems: readonly DevicesFileProblem[];
};

/** The file's names for the fields of a draft. */
const FIELDS = {
  device_id: 'deviceId',
  server_url: 'serverUrl',
  os: 'os',
  capabilities: 'capabilities',
  metadata: 'metadata',
  auto_connect: 'autoConnect',
  max_retries: 'maxRetries',
} as const;

/**
 * Reads the value of a stock `devices.yaml` (an object with a list `devices`; a list alone is taken too). Each entry
 * stands alone: one that is wrong does not keep the others out.
 *
 * @returns a failure when the value is no devices file at all
 */
export function draftsFromDevicesFile(value: JsonValue): Result<DevicesFile, DevicesFileProblem> {
  const list = isJsonObject(value) ? value.devices : value;
  if (!Array.isArray(list)) {
    const message = `expected a devices file, an object with a list "devices", got ${describeJson(value)}`;
    return err({ path: '', message });
  }
  const drafts: DeviceDraft[] = [];
  const problems: DevicesFileProblem[] = [];
  const seenAt = new Map<string, number>();
  for (const [index, entry] of list.entries()) {
    const path = `devices.${index}`;
    const read = draftFrom(entry, path);
    if (!read.ok) {
      problems.push(...read.error);
      continue;
    }
    const { deviceId } = read.value;
    const first = seenAt.get(deviceId);
    if (first === undefined) {
      seenAt.set(deviceId, index);
      drafts.push(read.value);
    } else {
      problems.push({ path: `${path}.device_id`, message: `"${deviceId}" stands at devices.${first} already` });
    }
  }
  return ok({ drafts, problems });
}

function draftFrom(entry: JsonValue, path: string): Result<DeviceDraft, DevicesFileProblem[]> {
  if (!isJsonObject(entry)) return err([{ path, message: `expected an object, got ${describeJson(entry)}` }]);
  const draft = renamed(entry);
  const parsed = deviceDraftSchema.safeParse(draft);
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => {
      const [field, ...rest] = issue.path.map(String);
      return { path: [path, fileName(field), ...rest].join('.'), message: describeIssue(issue, draft) };
    }),
  );
}

/** Null is how YAML says that a key was left empty: it counts as absent. Unknown keys are ignored, as the stock reader does. */
function renamed(entry: JsonObject): JsonObject {
  const fields: [string, JsonValue][] = [];
  for (const [name, field] of Object.entries(FIELDS)) {
    const value = entry[name] ?? null;
    if (value !== null) fields.push([field, value]);
  }
  return Object.fromEntries(fields);
}

function fileName(field: string | undefined): string {
  return Object.entries(FIELDS).find(([, ours]) => ours === field)?.[0] ?? field ?? '';
}
