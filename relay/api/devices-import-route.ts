import { z } from 'zod';
import { draftsFromDevicesFile } from '@/lib/fleet/devices-file';
import { type DevicesImported, devicesImportedSchema } from '@/lib/relay-protocol/http';
import { commandIdSchema } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';
import type { Random } from '@/lib/std/random';
import { sha256Hex } from '@/relay/auth/digest';
import { may } from '@/relay/auth/may';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { ApiContext, ApiRoute } from './api-env';
import { commandIdOf, IDEMPOTENCY_HEADER } from './commanding';
import { type FilePlace, parseYaml } from './parse-yaml';
import { problemResponse, refusalResponse } from './problem';
import { readText, wrongMediaType } from './read-body';

/** About a thousand devices. YAML is slow to read, and devices are not served meanwhile. */
const BYTES_MAX = 256 * 1024;
const YAML_TYPES = new Set([
  'application/json',
  'application/x-yaml',
  'application/yaml',
  'text/plain',
  'text/x-yaml',
  'text/yaml',
]);

export function devicesImportRoute(ports: { runtime: Runtime; random: Random }): ApiRoute {
  return {
    method: 'post',
    path: '/v1/devices/import',
    summary: 'Add the devices of a stock devices.yaml; those that are known or wrong are skipped with a reason',
    access: 'signed-in',
    parameters: [IDEMPOTENCY_HEADER],
    body: { mediaType: 'application/yaml', schema: z.string(), need: 'required' },
    answers: { 200: { about: 'What was added and what was not.', schema: devicesImportedSchema } },
    handle: (context) => importDevices(ports, context),
  };
}

async function importDevices(ports: { runtime: Runtime; random: Random }, context: ApiContext): Promise<Response> {
  const { actor } = context.get('identity');
  const allowed = may(actor, 'devices-import');
  if (!allowed.ok) return refusalResponse(allowed.error);
  const wrongType = wrongMediaType(context, (type) => YAML_TYPES.has(type), 'application/yaml');
  if (wrongType !== undefined) return wrongType;
  const key = commandIdOf(context, ports.random);
  if (!key.ok) return key.error;
  const text = await readText(context, BYTES_MAX);
  if (!text.ok) return text.error;
  const value = parseYaml(text.value);
  if (!value.ok) return unreadable('not-yaml', value.error);
  const file = draftsFromDevicesFile(value.value);
  if (!file.ok) return unreadable('invalid-devices-file', [file.error]);

  const imported: DevicesImported = { added: [], skipped: [] };
  for (const { path, message } of file.value.problems) {
    imported.skipped.push({ device_id: nameAt(value.value, path), reason: `${path}: ${message}` });
  }
  for (const device of file.value.drafts) {
    // One key for the request, one id for each device of it: a request that is sent again adds nothing twice.
    const commandId = commandIdSchema.parse(sha256Hex(`${key.value} ${device.deviceId}`));
    const verdict = await ports.runtime.submit({ commandId, actor, command: { type: 'device-add', device } });
    if (verdict.status === 'rejected') {
      imported.skipped.push({ device_id: device.deviceId, reason: verdict.refusal.message });
    } else imported.added.push(device.deviceId);
  }
  return context.json(imported);
}

function unreadable(code: string, errors: FilePlace[]): Response {
  const [first] = errors;
  const detail = `${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'expected a devices file'}`;
  const places = errors.map(({ path, message }) => ({ path: path || '(file)', message }));
  return problemResponse({ status: code === 'not-yaml' ? 400 : 422, code, detail, errors: places });
}

const entrySchema = z.object({ device_id: z.coerce.string().max(100) });
const listSchema = z.union([
  z.object({ devices: z.array(z.unknown()) }).transform((file) => file.devices),
  z.array(z.unknown()),
]);

/** The id as the file has it, however wrong: by it the operator finds the entry again. */
function nameAt(value: JsonValue, path: string): string {
  const index = Number(/^devices\.(\d+)/.exec(path)?.[1] ?? -1);
  const list = listSchema.safeParse(value);
  const entry = entrySchema.safeParse(list.success ? list.data[index] : undefined);
  return entry.success ? entry.data.device_id : path;
}
