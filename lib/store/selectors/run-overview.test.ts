import { expect, test } from 'vitest';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import { A_RUN_ID, type ARun, aRun, taskId } from '@/lib/run/testing/a-run';
import { failuresOf, liveCount, runWord, skippedCount, stateCounts, stepFailure } from './run-overview';
import { createRunViewer } from './run-view';

const PLAN = aPlan(['a', 'b', 'c', 'd'], [['a', 'c', 'success_only']]);
const look = (run: ARun) => createRunViewer()(run.run, run.fleet);
const counts = (run: ARun) => Object.fromEntries(stateCounts(look(run)).map(({ state, count }) => [state, count]));

test('a run is a draft until launched, then running, then as it ended', () => {
  const run = aRun(aPlan(['a']));
  expect(runWord(run.run)).toBe('draft');
  run.launch();
  expect(runWord(run.run)).toBe('running');
  run.runs('a').step({ type: 'run-end', runId: A_RUN_ID });
  expect(runWord(run.run)).toBe('completed');
});

test('a draft of which one task was dispatched by hand is running', () => {
  expect(runWord(aRun(PLAN).dispatch('a').sent('a').run)).toBe('running');
});

test('a run whose cancel was asked is cancelling until it has ended', () => {
  expect(runWord(aRun(PLAN).launch().run, 'asked')).toBe('cancelling');
});

test('every task is counted once and states without a task are left out', () => {
  const run = aRun(PLAN).launch().dispatch('a').sent('a').dispatch('b');
  expect(counts(run)).toEqual({ running: 1, dispatching: 1, waiting: 1, pending: 1 });
  expect(liveCount(look(run))).toBe(2);
});

test('failures come first in the counts and the earliest real cause first in the list', () => {
  const run = aRun(PLAN).launch().dispatch('a').dispatch('b').sent('b').sent('a');
  run.ends('b', { outcome: 'failed', error: 'disk full' }).ends('a', { outcome: 'failed', error: 'no route' });
  expect(stateCounts(look(run))[0]).toEqual({ state: 'failed', count: 2 });
  expect(failuresOf(run.run, look(run)).map(({ taskId: id, error }) => [id, error])).toEqual([
    ['b', 'disk full'],
    ['a', 'no route'],
  ]);
});

test('a task that was skipped because of a failure is counted apart and is no cause', () => {
  const run = aRun(PLAN).launch().runs('a', { outcome: 'failed' });
  const lineId = [...run.run.constellation.lines.keys()][0]!;
  run.step({ type: 'task-skip', runId: A_RUN_ID, taskId: taskId('c'), lineId });
  expect(skippedCount(look(run))).toBe(1);
  expect(failuresOf(run.run, look(run))).toHaveLength(1);
});

test('failures are stepped through round and round, from the one that is looked at', () => {
  const run = aRun(PLAN).launch().runs('a', { outcome: 'failed' }).runs('b', { outcome: 'failed' });
  const failures = failuresOf(run.run, look(run));
  expect(stepFailure(failures, null, 'next')).toBe('a');
  expect(stepFailure(failures, null, 'previous')).toBe('b');
  expect(stepFailure(failures, taskId('a'), 'next')).toBe('b');
  expect(stepFailure(failures, taskId('b'), 'next')).toBe('a');
  expect(stepFailure(failures, taskId('a'), 'previous')).toBe('b');
  expect(stepFailure([], null, 'next')).toBeUndefined();
});
