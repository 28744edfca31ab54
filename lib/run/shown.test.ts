import { expect, test } from 'vitest';
import { aChain, aPlan, aStar, type LineDraft } from '@/lib/constellation/testing/a-plan';
import { aDevice, aFleet } from '@/lib/fleet/testing/a-fleet';
import { lineIdSchema } from '@/lib/std/ids';
import { type DisplayState, displayStates } from './display-state';
import type { FailureCause } from './run';
import { summaryOf } from './summary-of';
import { A_RUN_ID, type ARun, aRun, taskId } from './testing/a-run';
import { waitingReason } from './waiting-reason';

const runId = A_RUN_ID;
const word = (run: ARun, id = 'a') => displayStates(run.run, run.fleet).get(taskId(id));
const reason = (run: ARun, id: string) => waitingReason(run.run, run.fleet, taskId(id));

function fails(run: ARun, cause: FailureCause): ARun {
  run.tell({
    type: 'attempt-ended',
    runId,
    taskId: taskId('a'),
    attempt: 1,
    outcome: 'failed',
    result: { kind: 'none' },
    error: 'x',
    cause,
  });
  return run;
}

const launched = () => aRun(aPlan(['a', 'b'], [['a', 'b', 'success_only']])).launch();
const running = () => launched().dispatch('a').sent('a');
const cancelled = (run: ARun) => {
  run.tell({ type: 'task-cancel', runId, taskId: taskId('a') });
  return run;
};

const WORDS: Record<Exclude<DisplayState, 'waiting' | 'skipped'>, () => ARun> = {
  pending: launched,
  dispatching: () => launched().dispatch('a'),
  running,
  completed: () => launched().runs('a'),
  failed: () => fails(running(), 'device'),
  'timed-out': () => fails(running(), 'timeout'),
  cancelling: () => cancelled(running()),
  cancelled: () => cancelled(launched()),
  unknown: () => running().loses('a'),
};

test.each(Object.entries(WORDS))('[R31] a task is shown as %s', (expected, given) => {
  expect(word(given())).toBe(expected);
});

test('[R31] dispatching ends when the device has taken the task, not when it was sent', () => {
  const run = launched().dispatch('a');
  run.tell(run.report('attempt-sending', 'a'));
  expect(word(run)).toBe('dispatching');
});

test('[R31] a task behind another is waiting once the run is launched, and pending in a draft', () => {
  expect(word(launched(), 'b')).toBe('waiting');
  expect(word(aRun(aChain(2)), 's1')).toBe('pending');
  expect(word(aRun(aChain(2)).runs('s0', { outcome: 'failed' }), 's1')).toBe('waiting');
});

test('[R31] a skipped task is not shown as cancelled', () => {
  const run = launched().runs('a', { outcome: 'failed' });
  run.step({ type: 'task-skip', runId, taskId: taskId('b'), lineId: lineIdSchema.parse('a->b') });
  expect(word(run, 'b')).toBe('skipped');
});

test('[R31] a task whose device has just gone is unknown before its link has said so', () => {
  const run = running();
  run.fleet = aFleet(aDevice('linux-1', { status: 'disconnected' }));
  expect(word(run)).toBe('unknown');
  expect(displayStates(run.run, undefined).get(taskId('a'))).toBe('running');
});

const conditional: LineDraft[] = [
  ['a', 'b', 'conditional', { condition: { language: 'none-known', expression: 'x' } }],
];

type Wait = readonly [what: string, given: () => ARun, id: string, code: string, text: RegExp];

const WAITS: readonly Wait[] = [
  ['upstream that runs', running, 'b', 'upstream-running', /"a", which is running/],
  ['upstream that has not begun', launched, 'b', 'upstream-not-started', /"a", which has not started/],
  [
    'upstream that failed under a success-only line',
    () => launched().runs('a', { outcome: 'failed' }),
    'b',
    'upstream-failed',
    /needs the success of "a", which failed/,
  ],
  ['upstream that was cancelled', () => cancelled(launched()), 'b', 'upstream-cancelled', /"a", which was cancelled/],
  [
    'a condition that is false',
    () =>
      aRun(aPlan(['a', 'b'], conditional))
        .launch()
        .runs('a'),
    'b',
    'condition-false',
    /condition on "a" is false/,
  ],
  ['a launch', () => aRun(aPlan(['a'])), 'a', 'not-launched', /has not been launched/],
  ['a place', () => aRun(aPlan([aStar('a', { targetDeviceId: null })])), 'a', 'no-device', /Not placed/],
  ['a device nobody knows', () => aRun(aPlan([aStar('a', { targetDeviceId: 'pc' })])), 'a', 'unknown-device', /pc/],
  ['its turn', () => launched().dispatch('a'), 'a', 'next', /Next on linux-1/],
];

test.each(WAITS.map(([what, ...rest]) => ({ what, rest })))('[R32] a task that waits for $what says so', ({ rest }) => {
  const [given, id, code, text] = rest;
  const found = reason(given(), id);
  expect(found?.code).toBe(code);
  expect(found?.text).toMatch(text);
});

test('[R32] a queued task tells that its device is offline, or busy with what', () => {
  const run = launched().dispatch('a');
  run.fleet = aFleet(aDevice('linux-1', { status: 'disconnected', statusReason: 'connection refused' }));
  expect(reason(run, 'a')).toEqual({
    code: 'device-offline',
    text: 'linux-1 is disconnected: connection refused',
    blocker: { kind: 'device', deviceId: 'linux-1' },
  });
  run.fleet = aFleet(aDevice('linux-1', { status: 'busy', currentTask: { runId, taskId: taskId('other') } }));
  expect(reason(run, 'a')).toMatchObject({ code: 'device-busy', text: 'linux-1 is busy with other' });
});

test('[R32] what stands in the way is named by id, so that a link can lead there', () => {
  expect(reason(running(), 'b')?.blocker).toEqual({ kind: 'task', taskId: 'a', lineId: 'a->b' });
});

test('[R32] a task that runs or has ended waits for nothing', () => {
  expect(reason(running(), 'a')).toBeNull();
  expect(reason(launched().runs('a'), 'a')).toBeNull();
});

test('[R33] a task whose device was removed tells it', () => {
  const run = aRun(aPlan(['a'])).launch();
  run.fleet = aFleet('linux-2');
  expect(reason(run, 'a')).toMatchObject({ code: 'unknown-device' });
  expect(word(run)).toBe('pending');
});

test('the summary counts tasks and names the earliest failure', () => {
  const run = aRun(aPlan(['a', 'b', 'c', 'd']))
    .launch()
    .runs('c');
  run.dispatch('b').sent('b').ends('b', { outcome: 'failed', error: 'first' });
  run.runs('a', { outcome: 'failed', error: 'second' });
  expect(summaryOf(run.run)).toMatchObject({
    runId,
    state: 'executing',
    taskCount: 4,
    counts: { pending: 1, running: 0, completed: 1, failed: 2, cancelled: 0 },
    firstFailure: { taskId: 'b', error: 'first' },
  });
});
