import { describe, expect, test } from 'vitest';
import { deviceInfoSchema } from '@/lib/aip/messages';
import { mergeDeviceConfig } from '@/lib/aip/protocol/device-config';
import { aDevice, aRegisteredDevice } from '@/lib/aip/testing/a-device';
import { settle } from '@/lib/aip/testing/fake-clock';
import { createMask } from '@/lib/aip/testing/mask';
import { type VectorCase, vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import type { DeviceClientOptions } from './device-client-types';

/** Where the stock device is silent and ours answers: what it says, and why. */
const OURS_IS_BETTER: { readonly [name: string]: { readonly why: string; readonly says: readonly JsonObject[] } } = {
  'unregistered-tool-no-reply': {
    why: 'the server would wait for 6000 s',
    says: [
      {
        type: 'command_results',
        prev_response_id: 'r-1',
        action_results: [
          { status: 'success', result: 1 },
          { status: 'failure', error: 'Unknown tool "unregistered"' },
        ],
      },
    ],
  },
  'invalid-action-no-reply': {
    why: 'the server would wait for 6000 s',
    says: [
      {
        type: 'command_results',
        session_id: 's-1',
        prev_response_id: 'r-1',
        action_results: [{ status: 'failure', error: expect.stringContaining('actions[0].tool_type') }],
      },
    ],
  },
  device_info_request: {
    why: 'a question deserves an answer',
    says: [{ type: 'device_info_response', prev_response_id: 'r', metadata: { platform: 'linux' } }],
  },
};

const fakeTools: DeviceClientOptions['execute'] = async ({ tool_name, parameters }) => {
  if (tool_name === 'fail') return { status: 'failure', error: 'it failed', namespace: 'ns' };
  if (tool_name === 'ok') return { status: 'success', result: parameters?.return ?? null, namespace: 'ns' };
  throw new Error(`Unknown tool "${tool_name}"`);
};

function named(cases: readonly VectorCase[]) {
  return cases.map((vector) => {
    const better = OURS_IS_BETTER[vector.name];
    return [better ? `${vector.name}: ours answers, since ${better.why}` : vector.name, vector] as const;
  });
}

/** What a value is as an object; the vectors are part of this repository, so their shape is known. */
function asObject(value: JsonValue | undefined): JsonObject {
  if (value === undefined || !isJsonObject(value)) throw new Error('Expected an object in the vectors');
  return value;
}

const frameCases = await vectorCases('device_client');
const replyCases = (await vectorCases('registration_reply')).filter(({ name }) => name.startsWith('device:'));
const infoCases = await vectorCases('device_info');

describe('what a device makes of each frame', () => {
  test.each(named(frameCases))('%s', async (_title, { name, input, output }) => {
    const device = await aRegisteredDevice({ execute: fakeTools });
    await device.server().say(asObject(input));
    await settle();

    const heard = device.server().heard();
    const better = OURS_IS_BETTER[name];
    if (better) expect(heard).toMatchObject(better.says);
    else expect(createMask()(heard)).toEqual(withoutNullsDeep(output));
    expect(heard).toHaveLength(better?.says.length ?? (output as JsonValue[]).length);
    expect(device.endpoint.isConnected()).toBe(true);
  });
});

describe('how a device reads the first reply', () => {
  test.each(named(replyCases))('[AIP-44] %s', async (_title, { input, output }) => {
    const { reply, reply_text, frame } = asObject(input);
    const device = aDevice();
    await settle();
    const { transport } = device.server();
    if (reply === null) await transport.close(1000, '');
    else {
      const text = typeof reply_text === 'string' ? reply_text : JSON.stringify(reply);
      await transport.send(frame === 'binary' ? new TextEncoder().encode(text) : text);
    }
    await settle();

    expect(device.endpoint.isConnected()).toBe(output);
  });
});

describe('the information of a device', () => {
  test.each(named(infoCases.filter(({ name }) => name.startsWith('merge:'))))('%s', (_title, { input, output }) => {
    const { system_info, server_config } = asObject(input);

    const merged = mergeDeviceConfig(asObject(system_info), asObject(server_config));

    expect(merged).toMatchObject(asObject(output));
  });

  test.each(named(infoCases.filter(({ name }) => name === 'device-system-info-shape')))('%s', (_title, { output }) => {
    expect(deviceInfoSchema.parse(output)).toEqual(output);
  });
});

test('every deviation is one of a recorded case', () => {
  const names = new Set(frameCases.map(({ name }) => name));
  expect(Object.keys(OURS_IS_BETTER).filter((name) => !names.has(name))).toEqual([]);
});
