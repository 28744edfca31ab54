import { describe, expect, test } from 'vitest';
import { announcing, aPair, joinConstellation, joinDevice, typesOf } from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { Wire } from '@/lib/aip/testing/wire';
import type { JsonObject } from '@/lib/std/json';

const QUESTION = {
  type: 'device_info_request',
  status: 'ok',
  client_type: 'constellation',
  target_id: 'dev-1',
  request_id: 'q-1',
};
const EXTENDED = announcing('device_info');
const BOTH = { device: EXTENDED, constellation: EXTENDED };
const TOOL = { tool_key: 'action::t', tool_name: 't', namespace: 'n', tool_type: 'action' };
const MANIFEST = { capabilities: ['cli'], os_version: '6.1', tools: [TOOL] };

async function ask(wire: Wire, more: JsonObject = {}) {
  await wire.say({ ...QUESTION, ...more });
  await settle();
  return wire.last;
}

async function tell(device: Wire, info: JsonObject, more: JsonObject = {}) {
  const { prev_response_id = null, ...metadata } = more;
  const response = { type: 'device_info_response', status: 'ok', prev_response_id };
  await device.say({ ...response, metadata: { system_info: info, ...metadata } });
  await settle();
}

describe('a question of a stock constellation', () => {
  test('[AIP-59] is answered with status ok under its own request id, or under none when it has none', async () => {
    const { constellation } = await aPair();
    expect(await ask(constellation)).toMatchObject({ type: 'device_info_response', status: 'ok', response_id: 'q-1' });
    const nameless = await ask(constellation, { request_id: null });
    expect(nameless).toMatchObject({ type: 'device_info_response', status: 'ok' });
    expect(nameless).not.toHaveProperty('response_id');
  });

  test('[AIP-63] is answered from the registration, member by member; the device is never asked', async () => {
    const { device, constellation } = await aPair({}, { device: { ...EXTENDED, ...MANIFEST } });
    const answer = await ask(constellation);

    expect(answer?.result).toEqual({ device_id: 'dev-1', free_gb: 1 });
    expect(device.heard()).toEqual([]);
  });

  test('[AIP-61] about a device that is unknown, away or silent about itself is an error inside an ok', async () => {
    const setup = await aPair();
    const free = setup.open();
    const role = { client_type: 'constellation', client_id: 'free' };
    await free.say({ type: 'register', status: 'ok', ...role });
    await joinDevice(setup, 'mute', { system_info: null });
    for (const target_id of ['nobody', 'mute', 'con-1', '__proto__']) {
      const answer = await ask(free, { target_id });
      expect(answer).toMatchObject({ type: 'device_info_response', status: 'ok', response_id: 'q-1' });
      expect(answer?.result).toEqual({ error: `Device ${target_id} not found or no system info available` });
    }
    setup.device.transport.terminate();
    await settle();
    expect((await ask(setup.constellation))?.result).toHaveProperty('error');
  });

  test.each([
    ['another device', 'dev-2'],
    ['nobody', null],
    ['an empty target', ''],
  ])('[AIP-60] about %s, when it registered for one device, is refused', async (_name, target_id) => {
    const setup = await aPair();
    await joinDevice(setup, 'dev-2');
    expect(await ask(setup.constellation, { target_id })).toMatchObject({ type: 'error', status: 'error' });
  });

  test('[AIP-60] of a device is refused', async () => {
    const { device } = await aPair();
    expect(await ask(device, { client_type: 'device' })).toMatchObject({ type: 'error', status: 'error' });
  });
});

describe('what a device says', () => {
  test('[AIP-99] is swallowed when it did not agree to device_info', async () => {
    const { device, constellation } = await aPair({}, { constellation: EXTENDED });
    await tell(device, { free_gb: 9 });
    expect(device.heard()).toEqual([]);

    expect((await ask(constellation))?.result).toEqual({ device_id: 'dev-1', free_gb: 1, stale: true });
  });

  test('[AIP-99] a constellation that tells device information is not listened to', async () => {
    const { constellation } = await aPair({}, BOTH);
    await constellation.say({ ...QUESTION, type: 'device_info_response', metadata: { system_info: { free_gb: 9 } } });
    await settle();
    expect(constellation.heard()).toEqual([]);
  });

  test('unasked is kept and passed on at once to those that registered for it, the agreed ones only', async () => {
    const setup = await aPair({}, BOTH);
    const stock = await joinConstellation(setup, 'con-2');
    await joinDevice(setup, 'dev-2', EXTENDED);
    const elsewhere = setup.open();
    const role = { client_type: 'constellation', client_id: 'con-3', target_id: 'dev-2' };
    await elsewhere.say({ type: 'register', status: 'ok', ...role, metadata: EXTENDED });
    await settle();
    stock.heard();
    elsewhere.heard();
    await tell(setup.device, { free_gb: 2 }, MANIFEST);

    const [push, ...more] = setup.constellation.heard();
    expect(push).toMatchObject({ type: 'device_info_response', status: 'ok' });
    expect(push?.result).toEqual({ free_gb: 2, os_version: '6.1', capabilities: ['cli'], tools: [TOOL] });
    expect(push).not.toHaveProperty('response_id');
    expect(more).toEqual([]);
    expect([...stock.heard(), ...elsewhere.heard(), ...setup.device.heard()]).toEqual([]);
    expect((await ask(stock))?.result).toEqual({ free_gb: 2 });
  });

  test('unasked is passed on once in five seconds, the newest of it', async () => {
    const { clock, device, constellation } = await aPair({}, BOTH);
    for (const free_gb of [2, 3, 4]) await tell(device, { free_gb });
    expect(constellation.heard()).toMatchObject([{ result: { free_gb: 2 } }]);
    await clock.advance(4_999);
    expect(constellation.heard()).toEqual([]);
    await clock.advance(1);
    expect(constellation.heard()).toMatchObject([{ result: { free_gb: 4 } }]);
    await clock.advance(60_000);
    expect(constellation.heard()).toEqual([]);
  });

  test('in parts changes those parts only', async () => {
    const { device, constellation } = await aPair(
      {},
      { device: { ...EXTENDED, ...MANIFEST }, constellation: EXTENDED },
    );
    await tell(device, { free_gb: 5 });

    expect(constellation.last?.result).toMatchObject({ free_gb: 5, capabilities: ['cli'], tools: [TOOL] });
  });

  test('beyond a mebibyte counts as not said', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    await tell(device, { note: 'x'.repeat(1_048_576) });
    expect(constellation.heard()).toEqual([]);
    await tell(device, { note: 'x'.repeat(1_000_000) });
    expect(typesOf(constellation.heard())).toEqual(['device_info_response']);
  });
});

describe('a question of a constellation that agreed to device_info', () => {
  test('[AIP-G2] is answered with what the device says now, and what it can do', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    await ask(constellation);
    expect(device.last).toMatchObject({ type: 'device_info_request', status: 'ok' });
    await tell(device, { free_gb: 2 }, { prev_response_id: device.last?.response_id ?? null, ...MANIFEST });

    expect(constellation.heard()).toMatchObject([{ response_id: 'q-1' }]);
    expect(constellation.last?.result).toEqual({ free_gb: 2, os_version: '6.1', capabilities: ['cli'], tools: [TOOL] });
  });

  test('is answered from memory, marked stale, when the device is silent for ten seconds', async () => {
    const { clock, constellation } = await aPair({}, BOTH);
    await ask(constellation);
    await clock.advance(9_999);
    expect(constellation.heard()).toEqual([]);
    await clock.advance(1);

    expect(constellation.last?.result).toEqual({ device_id: 'dev-1', free_gb: 1, stale: true });
  });

  test('is answered from memory, marked stale, when the device is a stock one, which is not asked', async () => {
    const { device, constellation } = await aPair({}, { constellation: EXTENDED });

    expect((await ask(constellation))?.result).toMatchObject({ free_gb: 1, stale: true });
    expect(device.heard()).toEqual([]);
  });

  test('does not hold up its other frames', async () => {
    const { constellation } = await aPair({}, BOTH);
    await constellation.say(QUESTION);
    await constellation.say({ type: 'heartbeat', status: 'ok', client_type: 'constellation' });
    await settle();

    expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
  });

  test('is answered with an error at once when the device leaves meanwhile', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    await ask(constellation);
    device.transport.terminate();
    await settle();

    expect(constellation.last).toMatchObject({ response_id: 'q-1', status: 'ok' });
    expect(constellation.last?.result).toHaveProperty('error');
  });

  test('asks a device eight times at once at most; who comes later shares the newest answer', async () => {
    const { device, constellation } = await aPair({}, BOTH);
    for (let index = 0; index < 20; index += 1) await ask(constellation, { request_id: `q-${index}` });
    const questions = device.heard();
    expect(questions).toHaveLength(8);
    for (const { response_id } of questions)
      await tell(device, { free_gb: 7 }, { prev_response_id: response_id ?? null });

    const answers = constellation.heard();
    expect(answers.map(({ response_id }) => response_id).sort()).toHaveLength(20);
    for (const { result } of answers) expect(result).toMatchObject({ free_gb: 7 });
  });

  test('is refused beyond 64 that are open, and taken again when they are answered', async () => {
    const { clock, constellation } = await aPair({}, BOTH);
    for (let index = 0; index < 65; index += 1) await constellation.say({ ...QUESTION, request_id: `q-${index}` });
    await settle();
    expect(typesOf(constellation.heard())).toEqual(['error']);
    await clock.advance(10_000);
    expect(constellation.heard()).toHaveLength(64);
    await ask(constellation);
    expect(constellation.heard()).toEqual([]);
  });
});

describe('what the operator of a server knows of a device', () => {
  const deviceConfig = (id: string) =>
    id === 'dev-1' ? { tags: ['lab'], tier: 'gold', additional_features: ['camera'] } : undefined;

  test('stands beside what the device says, for stock constellations and others', async () => {
    const { constellation } = await aPair({ deviceConfig });
    const merged = { free_gb: 1, tags: ['lab'], supported_features: ['camera'], custom_metadata: { tier: 'gold' } };
    expect((await ask(constellation))?.result).toMatchObject(merged);

    const extended = await aPair({ deviceConfig }, BOTH);
    const asking = ask(extended.constellation);
    await settle();
    await tell(extended.device, { free_gb: 2 }, { prev_response_id: extended.device.last?.response_id ?? null });
    expect((await asking)?.result ?? extended.constellation.last?.result).toMatchObject({ ...merged, free_gb: 2 });
  });

  test('goes along with what a device says unasked', async () => {
    const { device, constellation } = await aPair({ deviceConfig }, BOTH);
    await tell(device, { free_gb: 3 });
    expect(constellation.last?.result).toMatchObject({ free_gb: 3, tags: ['lab'] });
  });

  test('changes nothing of a device that it does not know', async () => {
    const { constellation } = await aPair({ deviceConfig: (id) => (id === 'other' ? { tags: ['lab'] } : undefined) });
    expect((await ask(constellation))?.result).toEqual({ device_id: 'dev-1', free_gb: 1 });
  });
});
