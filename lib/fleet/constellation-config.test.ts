import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonObjectSchema,
  jsonValueSchema,
  parseJson,
} from '@/lib/std/json';
import { draftsFromDevicesFile } from './devices-file';
import vectors from './testing/vectors/constellation_config.json';

const caseSchema = z.object({ name: z.string(), input: jsonValueSchema, output: jsonValueSchema });
const devicesSchema = z.object({ devices: z.array(jsonObjectSchema) });
const cases = vectors.cases.map((one) => caseSchema.parse(one));

/** What a file or a text comes to: devices as the file writes them, or the places that are wrong. */
type Imported = { readonly devices: readonly JsonObject[] } | { readonly wrongAt: readonly string[] };

const SHORT_FORM = 'addresses have colons of their own, so that devices come as entries and not as id:url';
const WHOLE_ENTRY = 'an entry means the same wherever it stands, os and max_retries included';
const NAMED = 'what is wrong is named, and nothing else is thrown away with it';

/** Where our import does something else than the recording, and why. */
const OURS: Readonly<Record<string, { readonly imported: Imported; readonly why: string }>> = {
  'cli-device:dev:ws://10.0.0.1:5000/ws': { imported: { wrongAt: [''] }, why: SHORT_FORM },
  'cli-device:dev:host': { imported: { wrongAt: [''] }, why: SHORT_FORM },
  'cli-device:noseparator': { imported: { wrongAt: [''] }, why: NAMED },
  'env:all': {
    imported: {
      devices: [
        {
          device_id: 'd',
          server_url: 'ws://h/ws',
          os: 'linux',
          capabilities: ['a'],
          metadata: {},
          auto_connect: true,
          max_retries: 9,
        },
      ],
    },
    why: WHOLE_ENTRY,
  },
  'env:bad-json-devices': { imported: { wrongAt: [''] }, why: NAMED },
  'file:missing-server_url-yields-defaults': { imported: { wrongAt: ['devices.0.server_url'] }, why: NAMED },
  'file:not-json-yields-defaults': { imported: { wrongAt: [''] }, why: NAMED },
};

function importedFrom(value: JsonValue): Imported {
  const read = draftsFromDevicesFile(value);
  if (!read.ok) return { wrongAt: [read.error.path] };
  const { drafts, problems } = read.value;
  if (problems.length > 0) return { wrongAt: problems.map(({ path }) => path) };
  return {
    devices: drafts.map((draft) => ({
      device_id: draft.deviceId,
      server_url: draft.serverUrl,
      os: draft.os,
      capabilities: draft.capabilities,
      metadata: draft.metadata,
      auto_connect: draft.autoConnect,
      max_retries: draft.maxRetries,
    })),
  };
}

/** The environment of a stock client holds the list as JSON; that text is a devices file of ours as it is. */
function importedFromEnvironment(environment: JsonValue): Imported {
  const text = isJsonObject(environment) ? (environment.CONSTELLATION_DEVICES ?? '[]') : '';
  const list = parseJson(String(text), { depthMax: 64, protoKey: 'keep' });
  return list.ok ? importedFrom(list.value) : { wrongAt: [''] };
}

const ours = ({ name, input }: (typeof cases)[number]): Imported =>
  name.startsWith('env:') ? importedFromEnvironment(input) : importedFrom(input);

/** Of the rest of a stock file, its times and names, the relay has settings of its own. */
const recorded = ({ name, output }: (typeof cases)[number]): Imported =>
  name.startsWith('cli-device:')
    ? { devices: z.array(jsonObjectSchema).parse(output) }
    : { devices: devicesSchema.parse(output).devices };

const titled = cases.map((one) => {
  const other = OURS[one.name];
  return [other === undefined ? one.name : `${one.name}, where ours differs: ${other.why}`, one] as const;
});

describe('a devices file of the stock implementation', () => {
  test.each(titled)('gives the recorded devices: %s', (_title, one) => {
    expect(ours(one)).toEqual(OURS[one.name]?.imported ?? recorded(one));
  });

  test('every difference belongs to a recorded case, and is one', () => {
    const byName = new Map(cases.map((one) => [one.name, one]));
    for (const [name, { imported }] of Object.entries(OURS)) {
      const one = byName.get(name);
      expect([name, one === undefined ? undefined : recorded(one)]).not.toEqual([name, imported]);
      expect([name, one === undefined]).toEqual([name, false]);
    }
  });

  const entry = (members: JsonObject) => ({ device_id: 'wrong', server_url: 'ws://h/ws', ...members });

  test.each<[string, JsonValue, string]>([
    ['an id that YAML reads as a number', entry({ device_id: 1001 }), 'device_id'],
    ['an empty id', entry({ device_id: '' }), 'device_id'],
    ['an id with a slash', entry({ device_id: 'rack/1' }), 'device_id'],
    ['an id with a space', entry({ device_id: 'rack 1' }), 'device_id'],
    ['an id of a built-in member', entry({ device_id: 'constructor' }), 'device_id'],
    ['no id', entry({ device_id: null }), 'device_id'],
    ['an empty address', entry({ server_url: '' }), 'server_url'],
    ['an address that is a number', entry({ server_url: 5000 }), 'server_url'],
    ['an address without end', entry({ server_url: `ws://${'h'.repeat(3000)}/` }), 'server_url'],
    ['an os that is a list', entry({ os: ['linux'] }), 'os'],
    ['one capability without a list', entry({ capabilities: 'gpu' }), 'capabilities'],
    ['a capability that is a number', entry({ capabilities: ['gpu', 5] }), 'capabilities.1'],
    ['metadata that is a list', entry({ metadata: [] }), 'metadata'],
    ['a word for a boolean', entry({ auto_connect: 'yes' }), 'auto_connect'],
    ['a number for a boolean', entry({ auto_connect: 1 }), 'auto_connect'],
    ['text for a number', entry({ max_retries: '9' }), 'max_retries'],
    ['half a try', entry({ max_retries: 2.5 }), 'max_retries'],
    ['less than no try', entry({ max_retries: -1 }), 'max_retries'],
    ['tries without end', entry({ max_retries: 1e9 }), 'max_retries'],
  ])('an entry with %s is named with its member, and the others are imported', (_what, wrong, member) => {
    const read = draftsFromDevicesFile({ devices: [wrong, { device_id: 'right', server_url: 'ws://h/ws' }] });
    expect(read.ok && read.value.drafts.map(({ deviceId }) => deviceId)).toEqual(['right']);
    expect(read.ok && read.value.problems.map(({ path }) => path)).toEqual([`devices.0.${member}`]);
  });

  test('members that are left empty have their defaults, and unknown ones do no harm', () => {
    const empty = { os: null, capabilities: null, metadata: null, auto_connect: null, max_retries: null };
    const strange = parseJson('{"__proto__": {"os": "evil"}, "constructor": 1, "tags": ["a"]}', {
      depthMax: 64,
      protoKey: 'keep',
    });
    const extra = strange.ok && isJsonObject(strange.value) ? strange.value : {};
    expect(Object.keys(extra)).toHaveLength(3);
    const plain = importedFrom({ devices: [{ device_id: 'd', server_url: 'ws://h/ws' }] });
    expect(importedFrom({ devices: [{ ...extra, ...empty, device_id: 'd', server_url: 'ws://h/ws' }] })).toEqual(plain);
  });

  test.each<[string, JsonValue]>([
    ['a file without a list', {}],
    ['a list that was left empty', { devices: null }],
    ['devices by their ids', { devices: { d: { server_url: 'ws://h/ws' } } }],
    ['a number', 5],
  ])('%s is no devices file', (_what, value) => {
    expect(importedFrom(value)).toEqual({ wrongAt: [''] });
  });
});
