import { expect, test } from 'vitest';
import { type DeviceId, deviceIdSchema, runIdSchema, taskIdSchema } from '@/lib/std/ids';
import { deviceDraftSchema, type FleetCommand } from './commands';
import { decideFleet, type FleetContext } from './decide-fleet';
import { type DeviceStatus, EMPTY_FLEET, type Fleet } from './device';
import { DEVICE_KINDS, deviceKindOf } from './device-kinds';
import type { FleetEvent } from './events';
import { evolveFleetAll } from './evolve-fleet';
import { knownDevices } from './find-device';
import { parseFleetSnapshot, toFleetSnapshot } from './fleet-snapshot';
import { aDevice, aFleet } from './testing/a-fleet';

const LINUX_1 = deviceIdSchema.parse('linux-1');
const WORK = { runId: runIdSchema.parse('a'.repeat(32)), taskId: taskIdSchema.parse('t') };

function context(change: Partial<FleetContext> = {}): FleetContext {
  return {
    nowMs: 5_000,
    actor: 'ada',
    sealAddress: (deviceId, serverUrl) => ({
      serverUrl: serverUrl.split('?')[0] ?? '',
      secretRef: `secret:${deviceId}`,
    }),
    liveAttempts: () => 0,
    ...change,
  };
}

function evolveFleet(fleet: Fleet, event: FleetEvent): Fleet {
  return evolveFleetAll(fleet, [event]);
}

function after(fleet: Fleet, command: FleetCommand, change: Partial<FleetContext> = {}): Fleet {
  const decision = decideFleet(fleet, command, context(change));
  if (!decision.ok) throw new Error(decision.error.message);
  return evolveFleetAll(fleet, decision.value);
}

function code(fleet: Fleet, command: FleetCommand, change: Partial<FleetContext> = {}): string {
  const decision = decideFleet(fleet, command, context(change));
  return decision.ok ? 'ok' : decision.error.code;
}

const draft = deviceDraftSchema.parse({ deviceId: 'linux-1', serverUrl: 'ws://h/ws?token=hush' });
const device = (fleet: Fleet, id: DeviceId = LINUX_1) => fleet.devices.get(id);

test('an added device is there, disconnected, and its secret is nowhere in the events', () => {
  const decision = decideFleet(EMPTY_FLEET, { type: 'device-add', device: draft }, context());
  expect(JSON.stringify(decision)).not.toContain('hush');
  const fleet = evolveFleetAll(EMPTY_FLEET, decision.ok ? decision.value : []);
  expect(device(fleet)).toMatchObject({ status: 'disconnected', profile: { secretRef: 'secret:linux-1' } });
});

test('the same id twice is refused', () => {
  expect(code(aFleet('linux-1'), { type: 'device-add', device: draft })).toBe('device-exists');
});

test('an edit changes what it names and keeps the rest, what is known of the device included', () => {
  const before = aFleet(aDevice('linux-1', { status: 'idle', connectionAttempts: 2 }));
  const fleet = after(before, { type: 'device-edit', deviceId: LINUX_1, patch: { os: 'windows' } });
  expect(device(fleet)?.profile).toEqual({ ...device(before)?.profile, os: 'windows' });
  expect(device(fleet)).toMatchObject({ status: 'idle', connectionAttempts: 2 });
});

test('an edit that changes nothing is no event', () => {
  const decision = decideFleet(
    aFleet('linux-1'),
    { type: 'device-edit', deviceId: LINUX_1, patch: { os: 'linux' } },
    context(),
  );
  expect(decision).toEqual({ ok: true, value: [] });
});

test('a device with work, running or queued, cannot be removed', () => {
  const remove: FleetCommand = { type: 'device-remove', deviceId: LINUX_1 };
  expect(code(aFleet(aDevice('linux-1', { currentTask: WORK })), remove)).toBe('device-busy');
  expect(code(aFleet('linux-1'), remove, { liveAttempts: () => 1 })).toBe('device-busy');
  expect(after(aFleet('linux-1'), remove).devices.size).toBe(0);
});

test('a command for a device that does not exist names those that do', () => {
  const decision = decideFleet(aFleet('other'), { type: 'device-remove', deviceId: LINUX_1 }, context());
  expect(!decision.ok && decision.error.message).toContain('known devices: other');
});

test('a refresh is asked once, however often the button is pressed', () => {
  const refresh: FleetCommand = { type: 'device-refresh', deviceId: LINUX_1, when: 'now' };
  const asked = after(aFleet('linux-1'), refresh);
  expect(device(asked)?.refresh).toEqual({ phase: 'asked', askedAtMs: 5_000, askedBy: 'ada' });
  expect(after(asked, refresh)).toBe(asked);
});

test('a question that nobody answered does not hold up the next one for ever', () => {
  const refresh: FleetCommand = { type: 'device-refresh', deviceId: LINUX_1, when: 'now' };
  const asked = after(aFleet('linux-1'), refresh);
  expect(device(after(asked, refresh, { nowMs: 65_000 }))?.refresh).toMatchObject({ askedAtMs: 65_000 });
});

test('an offline device is refreshed on its return, and refuses to be asked now', () => {
  const offline = aFleet(aDevice('linux-1', { status: 'disconnected', statusReason: 'connection refused' }));
  const refusal = decideFleet(offline, { type: 'device-refresh', deviceId: LINUX_1, when: 'now' }, context());
  expect(!refusal.ok && refusal.error).toMatchObject({ code: 'device-offline' });
  expect(!refusal.ok && refusal.error.message).toContain('connection refused');
  const waiting = after(offline, { type: 'device-refresh', deviceId: LINUX_1, when: 'on-return' });
  expect(device(waiting)?.refresh.phase).toBe('waiting-for-return');
});

test('only an answer to a question that is young enough settles a refresh', () => {
  const asked = after(aFleet('linux-1'), { type: 'device-refresh', deviceId: LINUX_1, when: 'now' });
  const answer = (askedAtMs: number): FleetEvent => ({
    type: 'device-info-received',
    atMs: 6_000,
    deviceId: LINUX_1,
    info: { platform: 'linux' },
    origin: 'device',
    askedAtMs,
    collectedAtMs: 5_900,
  });
  expect(device(evolveFleet(asked, answer(4_000)))?.refresh.phase).toBe('asked');
  const settled = device(evolveFleet(asked, answer(5_000)));
  expect(settled?.refresh).toEqual({ phase: 'none' });
  expect(settled?.info).toMatchObject({ askedAtMs: 5_000, collectedAtMs: 5_900 });
});

test('a failed refresh keeps the old information and says why', () => {
  const known = aDevice('linux-1', { info: { info: { a: 1 }, origin: 'device', askedAtMs: 1, collectedAtMs: 1 } });
  const asked = after(aFleet(known), { type: 'device-refresh', deviceId: LINUX_1, when: 'now' });
  const failed = evolveFleet(asked, {
    type: 'device-info-failed',
    atMs: 9_000,
    deviceId: LINUX_1,
    reason: 'no answer in 10 s',
  });
  expect(device(failed)?.refresh).toEqual({
    phase: 'failed',
    askedAtMs: 5_000,
    failedAtMs: 9_000,
    reason: 'no answer in 10 s',
  });
  expect(device(failed)?.info).toBe(known.info);
});

test('a status that stays the same keeps the moment since when', () => {
  const fleet = aFleet(aDevice('linux-1', { status: 'connecting', statusSinceMs: 100 }));
  const again = evolveFleet(fleet, {
    type: 'device-status-changed',
    atMs: 900,
    deviceId: LINUX_1,
    status: 'connecting',
    reason: null,
    connectionAttempts: 4,
  });
  expect(device(again)).toMatchObject({ statusSinceMs: 100, connectionAttempts: 4 });
});

test('a device is away since it left, however often it is tried, and online through all its tasks', () => {
  const at = (fleet: Fleet, atMs: number, status: DeviceStatus) =>
    evolveFleet(fleet, {
      type: 'device-status-changed',
      atMs,
      deviceId: LINUX_1,
      status,
      reason: null,
      connectionAttempts: 1,
    });
  let fleet = aFleet(aDevice('linux-1', { status: 'idle', reachSinceMs: 100 }));
  for (const [atMs, status] of [
    [200, 'busy'],
    [300, 'idle'],
  ] as const)
    fleet = at(fleet, atMs, status);
  expect(device(fleet)?.reachSinceMs).toBe(100);
  for (const [atMs, status] of [
    [400, 'disconnected'],
    [500, 'connecting'],
    [600, 'failed'],
  ] as const) {
    fleet = at(fleet, atMs, status);
  }
  expect(device(fleet)?.reachSinceMs).toBe(400);
  expect(device(at(fleet, 700, 'connected'))?.reachSinceMs).toBe(700);
});

test('devices that no event names keep their identity', () => {
  const fleet = aFleet('linux-1', 'other');
  const changed = evolveFleet(fleet, { type: 'device-work-changed', atMs: 1, deviceId: LINUX_1, currentTask: WORK });
  const other = deviceIdSchema.parse('other');
  expect(device(changed, other)).toBe(device(fleet, other));
  expect(device(changed)?.currentTask).toEqual(WORK);
});

test('word of a device that was removed changes nothing', () => {
  const gone = evolveFleet(EMPTY_FLEET, { type: 'device-work-changed', atMs: 1, deviceId: LINUX_1, currentTask: null });
  expect(gone.devices.size).toBe(0);
});

test('a fleet comes back from its snapshot as it was', () => {
  const fleet = aFleet(
    aDevice('linux-1', { currentTask: WORK, refresh: { phase: 'asked', askedAtMs: 3, askedBy: 'ada' } }),
    'other',
  );
  const text = JSON.stringify(toFleetSnapshot(fleet));
  expect(parseFleetSnapshot(JSON.parse(text))).toEqual({ ok: true, value: fleet });
});

test('what is no snapshot is refused with the place', () => {
  const read = parseFleetSnapshot({ form: 'fleet/1', devices: [{}] });
  expect(!read.ok && read.error).toContain('devices.0');
});

test.each([
  ['Linux', 'linux'],
  ['darwin', 'macos'],
  ['win32', 'windows'],
  [' Windows ', 'windows'],
  ['plan9', 'unknown'],
  ['', 'unknown'],
])('a system that calls itself %j is of kind %s', (os, kind) => {
  expect(deviceKindOf(os)).toBe(kind);
});

test('every kind is its own name', () => {
  for (const kind of DEVICE_KINDS) expect(deviceKindOf(kind)).toBe(kind);
});

test('a long list of devices is cut, and says so', () => {
  const many = aFleet(...Array.from({ length: 25 }, (_, index) => `d${index}`));
  expect(knownDevices(many)).toContain('and 5 more');
});
