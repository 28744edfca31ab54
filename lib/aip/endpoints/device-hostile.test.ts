import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { agreedTo, aRegisteredDevice, CONFIRMED } from '@/lib/aip/testing/a-device';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { usedHeapBytes } from '@/lib/aip/testing/used-heap';
import { vectorCases } from '@/lib/aip/testing/vectors';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { FrameData, Transport } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceClientEndpoint } from './device-client-endpoint';
import type { DeviceClientOptions } from './device-client-types';

const SEED = 20_260_102;
const ALL = ['device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume'];
/** Five states: a hundred thousand frames for the role. A slow machine takes its time over them. */
const FRAMES_PER_STATE = 20_000;
vi.setConfig({ testTimeout: 120_000 });

const unhandled: unknown[] = [];
const note = (cause: unknown) => void unhandled.push(cause);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

/** Frames as they should be, for mutations: all recorded ones of servers, and those of the extensions. */
const valid: readonly JsonObject[] = [
  ...(await vectorCases('server_message')).flatMap(({ accept, input }) => (accept ? [input as JsonObject] : [])),
  ...(await vectorCases('device_client')).map(({ input }) => input as JsonObject),
  agreedTo(ALL, { resume: 't', resumed: true }),
  {
    type: 'command',
    status: 'continue',
    session_id: 's',
    response_id: 'r',
    result: { timeout_seconds: 0.5 },
    actions: [],
  },
  { type: 'task_end', status: 'failed', session_id: 's', messages: ['a'] },
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('s', 'r', 's-1', '', '__proto__', '\\ud800', 'x'.repeat(5_000), '\u0000'),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, [], {}, [[]], { __proto__: null }) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
const action = fc.record(
  {
    tool_name: fc.oneof(text, fc.constantFrom('ok', 'fail', 'hang', 'throw', 'odd')),
    tool_type: anything,
    call_id: anything,
    parameters: anything,
  },
  { requiredKeys: [] },
);
const goodAction = fc.record({
  tool_name: fc.constantFrom('ok', 'fail', 'hang', 'throw', 'odd', 'print', ''),
  tool_type: fc.constantFrom('action', 'data_collection'),
  call_id: fc.constantFrom('c1', 'c2', 'c3', null),
  parameters: fc.constantFrom(null, {}, { return: 1 }),
});
const message = fc.record(
  {
    type: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom('command', 'task', 'task_end', 'heartbeat', 'error', 'device_info_request'),
      },
      anything,
    ),
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('continue', 'completed', 'failed', 'ok', 'error') },
      anything,
    ),
    session_id: fc.oneof(fc.constantFrom('s', 's-1', 's-2'), anything),
    response_id: fc.oneof(fc.constantFrom('r', 'r-1'), anything),
    actions: fc.oneof(fc.array(goodAction, { maxLength: 4 }), fc.array(action, { maxLength: 4 }), anything),
    result: fc.oneof(fc.record({ timeout_seconds: anything }), anything),
    user_request: anything,
    messages: anything,
    error: anything,
  },
  { requiredKeys: ['type', 'status'] },
);

/** A frame that was good, with one fault: a byte turned, an end cut off, a member doubled, taken out or put elsewhere. */
const mutated = fc
  .tuple(
    fc.constantFrom(...valid),
    fc.nat(),
    fc.constantFrom('flip', 'cut', 'double', 'drop', 'swap', 'nest', 'proto', 'number'),
    anything,
  )
  .map(([frame, at, how, value]) => {
    const whole = JSON.stringify(frame);
    const keys = Object.keys(frame);
    const key = keys[at % keys.length] ?? 'type';
    const place = at % whole.length;
    switch (how) {
      case 'flip':
        return (
          whole.slice(0, place) +
          String.fromCharCode(whole.charCodeAt(place) ^ (1 << (at % 7))) +
          whole.slice(place + 1)
        );
      case 'cut':
        return whole.slice(0, place);
      case 'double':
        return `${whole.slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(value)}}`;
      case 'drop':
        return JSON.stringify({ ...frame, [key]: undefined });
      case 'swap':
        return JSON.stringify({ ...frame, [key]: value });
      case 'nest':
        return `${whole.slice(0, -1)},"result":${'['.repeat(at % 3_000)}${']'.repeat(at % 3_000)}}`;
      case 'proto':
        return `${whole.slice(0, -1)},"__proto__":${JSON.stringify(value)}}`;
      default:
        return whole.replace(/"s[^"]*"/, `1${'0'.repeat(at % 400)}`);
    }
  });

const frames: fc.Arbitrary<FrameData> = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: message.map((frame) => new TextEncoder().encode(JSON.stringify(frame))) },
  { weight: 6, arbitrary: message.map((frame) => JSON.stringify(frame)) },
  { weight: 6, arbitrary: mutated },
);

const tools: DeviceClientOptions['execute'] = async ({ tool_name, parameters }, { onOutput }) => {
  onOutput(`running ${tool_name}\u0000\ud800`);
  if (tool_name === 'hang') return new Promise(() => {});
  if (tool_name === 'throw') throw new Error('thrown');
  if (tool_name === 'fail') return { status: 'failure', error: 'failed' };
  if (tool_name === 'odd') return { status: 'success', result: Number.NaN };
  return { status: 'success', result: parameters ?? null };
};

function seenFrames(state: string, count: number): readonly FrameData[] {
  return fc.sample(frames, { seed: SEED + state.length, numRuns: count });
}

async function feed(transport: Transport, hostile: readonly FrameData[], each: (index: number) => Promise<void>) {
  for (const [index, frame] of hostile.entries()) {
    if (transport.state !== 'connected') return;
    await transport.send(frame);
    await each(index);
  }
}

test.each([
  ['with a stock server', CONFIRMED],
  ['with everything agreed', agreedTo(ALL, { resume: 'token' })],
  ['with cancelling and logs', agreedTo(['cancel', 'log', 'device_info'])],
])(
  '[AIP-96] registered %s, no frame harms the device: it still answers the next command',
  async (state, confirmation) => {
    const device = await aRegisteredDevice({ execute: tools, timing: { toolMs: 5_000 } }, confirmation);
    const wire = device.server();
    let heard = 0;
    await feed(wire.transport, seenFrames(state, FRAMES_PER_STATE), async (index) => {
      if (index % 50 !== 0) return;
      await device.clock.advance(2_000);
      heard += wire.heard().length;
    });
    await device.clock.advance(60_000);
    wire.heard();
    const action = { tool_name: 'ok', tool_type: 'action', call_id: 'last' };
    await wire.say({ type: 'command', status: 'continue', session_id: 'last', response_id: 'last', actions: [action] });
    await device.clock.advance(1_000);

    const answers = wire.heard().filter(({ prev_response_id }) => prev_response_id === 'last');
    expect(answers).toMatchObject([
      { type: 'command_results', action_results: [{ status: 'success', call_id: 'last' }] },
    ]);
    expect(heard).toBeGreaterThan(100);
    expect(unhandled).toEqual([]);
    await device.endpoint.stop();
  },
);

test('[AIP-97] no frame makes the device send an ERROR, and none of a stock session an extension frame', async () => {
  const device = await aRegisteredDevice({ execute: tools, timing: { toolMs: 1_000 } });
  const wire = device.server();
  const types = new Set<string>();
  await feed(wire.transport, seenFrames('quiet', FRAMES_PER_STATE), async (index) => {
    if (index % 50 !== 0) return;
    await device.clock.advance(1_000);
    for (const { type, status } of wire.heard()) types.add(type === 'heartbeat' ? `${type}/${status}` : String(type));
  });

  expect([...types].sort()).toEqual(['command_results', 'device_info_response', 'heartbeat/ok', 'task']);
  await device.endpoint.stop();
});

test('whatever the first reply is, the device is registered or tries again', async () => {
  const clock = createFakeClock();
  const replies = seenFrames('first', FRAMES_PER_STATE);
  let met = 0;
  const endpoint = createDeviceClientEndpoint({
    createTransport() {
      const [near, far] = createMemoryPair();
      const reply = replies[met] ?? '';
      met += 1;
      setImmediate(() => {
        void far.send(reply).then(() => setImmediate(() => far.terminate()));
      });
      return near;
    },
    clock,
    random: createFakeRandom(),
    logger: silentLogger,
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => ({}),
    execute: tools,
    reconnection: { maxRetries: Number.POSITIVE_INFINITY, initialBackoffMs: 1, maxBackoffMs: 1 },
  });
  endpoint.start().catch(note);
  while (met < replies.length) {
    await clock.advance(10);
  }
  await endpoint.stop();

  expect(unhandled).toEqual([]);
});

test('memory stays flat however many frames come', async () => {
  const device = await aRegisteredDevice(
    { execute: tools, timing: { toolMs: 100 } },
    agreedTo(ALL, { resume: 'token' }),
  );
  const wire = device.server();
  const hostile = seenFrames('memory', 2_000);
  const round = async () => {
    await feed(wire.transport, hostile, async (index) => {
      if (index % 50 !== 0) return;
      await device.clock.advance(2_000);
      wire.heard();
    });
    return usedHeapBytes();
  };
  const first = await round();
  for (let count = 0; count < 3; count += 1) await round();
  const last = await round();

  expect(last - first).toBeLessThan(4 * 1_048_576);
  await device.endpoint.stop();
});
