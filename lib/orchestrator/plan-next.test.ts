import { expect, test } from 'vitest';
import { aChain, aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { aFleet } from '@/lib/fleet/testing/a-fleet';
import { A_RUN_ID, aRun, taskId } from '@/lib/run/testing/a-run';
import { planNext } from './plan-next';

const wants = (given: ReturnType<typeof aRun>) =>
  planNext(given.run, given.fleet).map((intent) =>
    'taskId' in intent ? `${intent.type} ${intent.taskId}` : intent.type,
  );

test('a draft is never advanced', () => {
  expect(wants(aRun(aChain(2)))).toEqual([]);
});

test('ready tasks go out by priority, then in the order of the plan', () => {
  const plan = aPlan([aStar('a'), aStar('low', { priority: 1 }), aStar('urgent', { priority: 4 }), aStar('b')]);
  expect(wants(aRun(plan).launch())).toEqual([
    'task-dispatch urgent',
    'task-dispatch a',
    'task-dispatch b',
    'task-dispatch low',
  ]);
});

test('a task behind another waits until that one has ended', () => {
  const given = aRun(aChain(2)).launch().dispatch('s0').sent('s0');
  expect(wants(given)).toEqual([]);
  given.ends('s0');
  expect(wants(given)).toEqual(['task-dispatch s1']);
});

test('a task behind two lines of one prerequisite, or behind several, goes out once, after the last', () => {
  const plan = aPlan(
    ['a', 'b', 'c'],
    [
      ['a', 'c', 'success_only'],
      ['a', 'c', 'completion_only'],
      ['b', 'c', 'unconditional'],
    ],
  );
  const given = aRun(plan).launch().dispatch('a').dispatch('b').sent('a').sent('b').ends('a');
  expect(wants(given)).toEqual([]);
  given.ends('b', { outcome: 'failed' });
  expect(wants(given)).toEqual(['task-dispatch c']);
});

test('tasks behind a failure are skipped down the chain in one go, and the run ends', () => {
  const given = aRun(aChain(4)).launch().runs('s0', { outcome: 'failed' });
  expect(wants(given)).toEqual(['task-skip s1', 'task-skip s2', 'task-skip s3', 'run-end']);
});

test('a successor of a skipped task follows its own line', () => {
  const plan = aPlan(
    ['a', 'b', 'c'],
    [
      ['a', 'b', 'success_only'],
      ['b', 'c', 'completion_only'],
    ],
  );
  const given = aRun(plan).launch().runs('a', { outcome: 'failed' });
  expect(wants(given)).toEqual(['task-skip b', 'task-dispatch c']);
});

test('an independent branch goes on beside a failure', () => {
  const plan = aPlan(
    ['a', 'b', 'x', 'y'],
    [
      ['a', 'b', 'success_only'],
      ['x', 'y', 'success_only'],
    ],
  );
  const given = aRun(plan).launch().runs('a', { outcome: 'failed' }).dispatch('x');
  expect(wants(given)).toEqual(['task-skip b']);
});

test('a run ends by itself when its last task has ended, also one that was never launched', () => {
  const given = aRun(aPlan(['a'])).runs('a');
  expect(wants(given)).toEqual(['run-end']);
  given.step({ type: 'run-end', runId: A_RUN_ID });
  expect(given.run.state).toBe('completed');
  expect(wants(given)).toEqual([]);
});

test('an empty run ends completed at its launch, and not before', () => {
  const given = aRun(aPlan([]));
  expect(wants(given)).toEqual([]);
  given.launch();
  expect(wants(given)).toEqual(['run-end']);
});

test('a task whose device was removed waits for an operator instead of failing', () => {
  const given = aRun(aPlan(['a'])).launch();
  given.fleet = aFleet('other');
  expect(wants(given)).toEqual([]);
});

test('a cancelled run starts nothing new', () => {
  const given = aRun(aPlan(['a', 'b']))
    .launch()
    .dispatch('a')
    .sent('a');
  given.tell({ type: 'run-cancel', runId: A_RUN_ID });
  expect(given.task('b').status).toBe('cancelled');
  expect(wants(given)).toEqual([]);
  given.ends('a', { outcome: 'cancelled' });
  expect(wants(given)).toEqual(['run-end']);
  expect(given.task('a').cancelCause).toEqual({ kind: 'run' });
  expect(given.run.tasks.get(taskId('a'))?.status).toBe('cancelled');
});
