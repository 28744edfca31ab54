import { expect, test } from 'vitest';
import type { Device } from '@/lib/fleet/device';
import { aDevice, aFleet } from '@/lib/fleet/testing/a-fleet';
import { runIdSchema, taskIdSchema } from '@/lib/std/ids';
import { changedFacts, connectionFact, fleetCounts, infoFact, listedDeviceIds, workFact } from './fleet-view';

const task = { runId: runIdSchema.parse('a'.repeat(32)), taskId: taskIdSchema.parse('t1') };

function told(info: Record<string, string>, collectedAtMs = 1): Device {
  return aDevice('linux-1', { info: { info, origin: 'device', askedAtMs: 1, collectedAtMs } });
}

test.each([
  ['idle', 'online'],
  ['busy', 'online'],
  ['connected', 'online'],
  ['connecting', 'connecting'],
  ['registering', 'connecting'],
  ['disconnected', 'offline'],
  ['failed', 'failed'],
] as const)('a device that is %s is shown as %s', (status, word) => {
  expect(connectionFact(aDevice('linux-1', { status })).word).toBe(word);
});

test('why a device is away is told, and an online one has no reason', () => {
  expect(connectionFact(aDevice('a', { status: 'failed', statusReason: 'refused' })).reason).toBe('refused');
  expect(connectionFact(aDevice('a', { status: 'idle', statusReason: 'refused' })).reason).toBeNull();
});

test('work is a fact of its own: a device that lost its link may still have a task', () => {
  expect(workFact(aDevice('a', { status: 'disconnected', currentTask: task }))).toEqual({ word: 'busy', ...task });
  expect(workFact(aDevice('a', { status: 'disconnected' }))).toEqual({ word: 'none' });
  expect(workFact(aDevice('a'))).toEqual({ word: 'idle' });
});

test('the age of the information does not depend on the connection', () => {
  expect(infoFact(aDevice('a'))).toEqual({ phase: 'never' });
  expect(infoFact(told({ platform: 'linux' }, 77))).toMatchObject({ phase: 'known', collectedAtMs: 77 });
});

test('the list is in the order that people read names', () => {
  const fleet = aFleet('pc-10', 'pc-2', 'Android-1', 'local');
  expect(listedDeviceIds(fleet, '')).toEqual(['Android-1', 'local', 'pc-2', 'pc-10']);
});

test('a filter finds by id, system, capability and state, all its words together', () => {
  const able = aDevice('pc-1', { status: 'failed' });
  const fleet = aFleet({ ...able, profile: { ...able.profile, capabilities: ['browser'] } }, aDevice('pc-2'), 'mac-1');
  expect(listedDeviceIds(fleet, 'PC')).toEqual(['pc-1', 'pc-2']);
  expect(listedDeviceIds(fleet, 'pc failed')).toEqual(['pc-1']);
  expect(listedDeviceIds(fleet, 'browser')).toEqual(['pc-1']);
  expect(listedDeviceIds(fleet, 'idle linux')).toEqual(['mac-1', 'pc-2']);
  expect(listedDeviceIds(fleet, 'nothing')).toEqual([]);
});

test('the fleet is counted by fact', () => {
  const devices = [
    aDevice('a'),
    aDevice('b', { currentTask: task, status: 'busy' }),
    aDevice('c', { status: 'failed' }),
  ];
  expect(fleetCounts(devices)).toEqual({ all: 3, online: 2, busy: 1 });
});

test('only values that are told otherwise than before count as changed', () => {
  const before = told({ platform: 'linux', hostname: 'old' });
  const after = told({ platform: 'linux', hostname: 'new', cpu_count: '4' }, 2);
  expect(changedFacts(before, after)).toEqual(new Set(['telemetry/hostname', 'telemetry/cpu_count']));
  expect(changedFacts(after, { ...after, status: 'busy' })).toEqual(new Set());
  expect(changedFacts(undefined, after)).toEqual(new Set());
  expect(changedFacts(aDevice('linux-1'), after)).toEqual(new Set());
});
