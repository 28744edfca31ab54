import { expect, test } from 'vitest';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { aDevice, aFleet } from '@/lib/fleet/testing/a-fleet';
import { type ARun, aRun, taskId } from '@/lib/run/testing/a-run';
import { lineIdSchema } from '@/lib/std/ids';
import { createRunViewer } from './run-view';

const CHAIN = aPlan(
  [aStar('a', { name: 'First', retryCount: 2 }), 'b', 'c'],
  [
    ['a', 'b', 'success_only'],
    ['b', 'c'],
  ],
);

const look = (run: ARun) => createRunViewer()(run.run, run.fleet);
const taskIn = (run: ARun, id: string) => look(run).tasks.get(taskId(id));
const lineIn = (run: ARun, id: string) => look(run).lines.get(lineIdSchema.parse(id));

test('a change of one task leaves the views of all others the same objects', () => {
  const viewer = createRunViewer();
  const run = aRun(CHAIN).launch().dispatch('a');
  const before = viewer(run.run, run.fleet);
  run.sent('a');
  const after = viewer(run.run, run.fleet);
  expect(after.tasks.get(taskId('a'))).not.toBe(before.tasks.get(taskId('a')));
  expect(after.tasks.get(taskId('c'))).toBe(before.tasks.get(taskId('c')));
  expect(after.lines.get(lineIdSchema.parse('b->c'))).toBe(before.lines.get(lineIdSchema.parse('b->c')));
});

test('the same run and fleet give the same view', () => {
  const viewer = createRunViewer();
  const run = aRun(CHAIN);
  expect(viewer(run.run, run.fleet)).toBe(viewer(run.run, run.fleet));
});

test('a running task tells where it runs, since when, and which try it is', () => {
  const run = aRun(CHAIN).launch().dispatch('a', 'linux-2').sent('a');
  const attempt = run.task('a').attempts[0]!;
  expect(taskIn(run, 'a')).toMatchObject({
    name: 'First',
    state: 'running',
    deviceName: 'linux-2',
    deviceKind: 'linux',
    deviceReach: 'online',
    runningSinceMs: attempt.sendingAtMs,
    durationMs: null,
    tryNumber: 1,
    triesMax: 3,
    waitsForCount: 0,
    feedsCount: 1,
  });
});

test('a finished task tells how long it took and no longer counts', () => {
  const run = aRun(CHAIN).launch().runs('a');
  const { startedAtMs, endedAtMs } = run.task('a');
  expect(taskIn(run, 'a')).toMatchObject({ runningSinceMs: null, durationMs: endedAtMs! - startedAtMs! });
});

test('a device is online, reconnecting, offline, unknown or not named, each told apart', () => {
  const plan = aPlan(
    ['idle', 'registering', 'failed', 'ghost']
      .map((name) => aStar(name, { targetDeviceId: name }))
      .concat(aStar('none', { targetDeviceId: null })),
  );
  const fleet = aFleet(
    'idle',
    aDevice('registering', { status: 'registering' }),
    aDevice('failed', { status: 'failed', statusReason: 'refused' }),
  );
  const reach = (id: string) => taskIn(aRun(plan, { fleet }), id)?.deviceReach;
  expect(['idle', 'registering', 'failed', 'ghost', 'none'].map(reach)).toEqual([
    'online',
    'reconnecting',
    'offline',
    'unknown',
    'unnamed',
  ]);
});

test('a task without a name is called by its id', () => {
  expect(taskIn(aRun(aPlan([aStar('a', { name: '' })])), 'a')?.name).toBe('a');
});

test('a line tells whether it is met and whether it leads into work or into a failure', () => {
  const run = aRun(CHAIN).launch();
  expect(lineIn(run, 'a->b')).toMatchObject({ state: 'open', kind: 'success_only', isIntoLive: false });
  run.runs('a').dispatch('b').sent('b');
  expect(lineIn(run, 'a->b')).toMatchObject({ state: 'met', isIntoLive: true, isIntoFailed: false });
  run.ends('b', { outcome: 'failed' });
  expect(lineIn(run, 'a->b')).toMatchObject({ isIntoLive: false, isIntoFailed: true });
});
