import { text } from '@/components/text/catalogue';
import { deviceDraftSchema } from '@/lib/fleet/commands';
import type { DeviceProfile } from '@/lib/fleet/device';
import type { Problem } from '@/lib/relay-protocol/http';
import { FRAME_DEPTH_MAX } from '@/lib/relay-protocol/timing';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

export type MetadataPair = { readonly id: number; readonly key: string; readonly value: string };

/** Metadata as pairs while that can say all of it, else as JSON text. */
export type MetadataForm =
  | { readonly as: 'pairs'; readonly pairs: readonly MetadataPair[] }
  | { readonly as: 'json'; readonly text: string };

/** What stands in the fields, as typed. */
export type DeviceForm = {
  readonly deviceId: string;
  readonly serverUrl: string;
  readonly os: string;
  readonly capabilities: readonly string[];
  readonly metadata: MetadataForm;
  readonly autoConnect: boolean;
  readonly maxRetries: string;
};

export const DEVICE_FIELDS = [
  'device_id',
  'server_url',
  'os',
  'capabilities',
  'metadata',
  'auto_connect',
  'max_retries',
] as const;
export type DeviceField = (typeof DEVICE_FIELDS)[number];

/** One message per field; `form` is for what belongs to none. */
export type DeviceFormErrors = { readonly [Field in DeviceField | 'form']?: string };

const DRAFT_DEFAULTS = deviceDraftSchema.omit({ deviceId: true, serverUrl: true }).parse({});

export const EMPTY_DEVICE_FORM: DeviceForm = {
  deviceId: '',
  serverUrl: '',
  // A proposal: the usual capabilities of the system are offered beside it.
  os: 'linux',
  capabilities: DRAFT_DEFAULTS.capabilities,
  metadata: metadataForm(DRAFT_DEFAULTS.metadata),
  autoConnect: DRAFT_DEFAULTS.autoConnect,
  maxRetries: String(DRAFT_DEFAULTS.maxRetries),
};

export function formOfDevice(profile: DeviceProfile): DeviceForm {
  return {
    deviceId: profile.deviceId,
    serverUrl: profile.serverUrl,
    os: profile.os,
    capabilities: profile.capabilities,
    metadata: metadataForm(profile.metadata),
    autoConnect: profile.autoConnect,
    maxRetries: String(profile.maxRetries),
  };
}

export function metadataForm(metadata: JsonObject): MetadataForm {
  const entries = Object.entries(metadata);
  const isPlain = entries.every((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (!isPlain) return { as: 'json', text: JSON.stringify(metadata, null, 2) };
  return { as: 'pairs', pairs: entries.map(([key, value], id) => ({ id, key, value: String(value) })) };
}

export function readMetadata(form: MetadataForm): Result<JsonObject, string> {
  return form.as === 'pairs' ? readPairs(form.pairs) : readJsonText(form.text);
}

/** A pair without a name and without a value is one that nobody filled in. */
function readPairs(pairs: readonly MetadataPair[]): Result<JsonObject, string> {
  const metadata = new Map<string, string>();
  for (const pair of pairs) {
    const key = pair.key.trim();
    if (key === '' && pair.value.trim() === '') continue;
    if (metadata.has(key)) return err(text.fleet.form.twiceKey(key));
    metadata.set(key, pair.value);
  }
  // Read again as text, so that pairs may say what JSON may say and nothing else.
  return readJsonText(JSON.stringify(Object.fromEntries(metadata)));
}

/** By the rules of the relay, which takes metadata one level inside of a body. */
function readJsonText(json: string): Result<JsonObject, string> {
  if (json.trim() === '') return ok({});
  const value = parseJson(json, { depthMax: FRAME_DEPTH_MAX - 1, protoKey: 'refuse' });
  if (!value.ok) return err(value.error.message);
  return isJsonObject(value.value) ? ok(value.value) : err(text.fleet.form.metadataNotObject);
}

/** A body of the relay's API, or what is wrong at which field. For an edit, only what differs from `before` is in it. */
export function bodyOfForm(form: DeviceForm, before?: DeviceProfile): Result<JsonObject, DeviceFormErrors> {
  const metadata = readMetadata(form.metadata);
  const draft = deviceDraftSchema.safeParse({
    deviceId: form.deviceId.trim(),
    serverUrl: form.serverUrl.trim(),
    os: form.os.trim() === '' ? undefined : form.os.trim(),
    capabilities: [...form.capabilities],
    metadata: metadata.ok ? metadata.value : {},
    autoConnect: form.autoConnect,
    maxRetries: /^\d+$/.test(form.maxRetries.trim()) ? Number(form.maxRetries) : Number.NaN,
  });
  const errors: { [Field in DeviceField | 'form']?: string } = {};
  if (!metadata.ok) errors.metadata = metadata.error;
  for (const issue of draft.success ? [] : draft.error.issues) {
    const field = FIELD_OF.get(String(issue.path[0])) ?? 'form';
    errors[field] ??= issueText(field, issue.message);
  }
  if (form.deviceId.trim() === '') errors.device_id = text.fleet.form.idMissing;
  if (form.serverUrl.trim() === '') errors.server_url = text.fleet.form.serverUrlMissing;
  if (!draft.success || !metadata.ok) return err(errors);
  const { deviceId, serverUrl, os, capabilities, autoConnect, maxRetries } = draft.data;
  const body = {
    server_url: serverUrl,
    os,
    capabilities,
    metadata: metadata.value,
    auto_connect: autoConnect,
    max_retries: maxRetries,
  };
  if (before === undefined) return ok({ device_id: deviceId, ...body });
  const old: JsonObject = {
    server_url: before.serverUrl,
    os: before.os,
    capabilities: before.capabilities,
    metadata: before.metadata,
    auto_connect: before.autoConnect,
    max_retries: before.maxRetries,
  };
  return ok(Object.fromEntries(Object.entries(body).filter(([key, value]) => !isSameJson(value, old[key] ?? null))));
}

/** zod's own words for a number are of no use to a person. */
function issueText(field: DeviceField | 'form', message: string): string {
  return field === 'max_retries' ? text.fleet.form.maxRetriesNotNumber : message;
}

const FIELD_OF: ReadonlyMap<string, DeviceField> = new Map([
  ['deviceId', 'device_id'],
  ['serverUrl', 'server_url'],
  ['os', 'os'],
  ['capabilities', 'capabilities'],
  ['metadata', 'metadata'],
  ['autoConnect', 'auto_connect'],
  ['maxRetries', 'max_retries'],
]);

function isSameJson(left: JsonValue, right: JsonValue): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The relay's words, each at the field that its path names. */
export function errorsOfProblem(problem: Problem): DeviceFormErrors {
  const errors: { [Field in DeviceField | 'form']?: string } = {};
  for (const { path, message } of problem.errors ?? []) {
    const field = fieldOfPath(path);
    errors[field] ??= message;
  }
  if (problem.code === 'device-exists') errors.device_id ??= problem.detail;
  // A body of the right form that is refused all the same has an address that the relay must not, or cannot, connect to.
  if (problem.code === 'invalid' && problem.errors === undefined) errors.server_url ??= problem.detail;
  const hasField = DEVICE_FIELDS.some((field) => errors[field] !== undefined);
  if (!hasField) errors.form ??= text.fleet.form.notSaved(problem.detail);
  return errors;
}

function fieldOfPath(path: string): DeviceField | 'form' {
  const first = path.split(/[.[]/)[0];
  return DEVICE_FIELDS.find((field) => field === first) ?? 'form';
}
