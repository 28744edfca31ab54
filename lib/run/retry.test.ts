import { expect, test } from 'vitest';
import { aChain, aPlan, type LineDraft } from '@/lib/constellation/testing/a-plan';
import { lineIdSchema } from '@/lib/std/ids';
import { A_RUN_ID, type ARun, aRun, deviceId, taskId } from './testing/a-run';

const runId = A_RUN_ID;
const retry = (id: string) => ({ type: 'task-retry', runId, taskId: taskId(id) }) as const;

function skips(run: ARun, ...lines: string[]): ARun {
  for (const line of lines) {
    const lineId = lineIdSchema.parse(line);
    const target = run.run.constellation.lines.get(lineId)?.toTaskId;
    run.step({ type: 'task-skip', runId, taskId: target!, lineId });
  }
  return run;
}

test('[R26] only a failed or cancelled task is retried, as often as a person likes', () => {
  const run = aRun(aPlan(['a', 'b']))
    .launch()
    .runs('b');
  expect(run.tryTo(retry('a'))).toBe('task-not-failed');
  expect(run.tryTo(retry('b'))).toBe('task-not-failed');
  for (let count = 0; count < 5; count += 1) {
    run.runs('a', { outcome: 'failed' });
    run.tell(retry('a'));
  }
  expect(run.task('a')).toMatchObject({ status: 'pending', currentRetry: 5 });
});

test('[R26] a retry may go to another device, which must exist', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .runs('a', { outcome: 'failed' });
  expect(run.tryTo({ ...retry('a'), deviceId: deviceId('pc-9') })).toBe('device-unknown');
  run.tell({ ...retry('a'), deviceId: deviceId('linux-2') });
  expect(run.run.constellation.tasks.get(taskId('a'))?.targetDeviceId).toBe('linux-2');
  expect(run.dispatch('a').task('a').attempts.at(-1)?.deviceId).toBe('linux-2');
});

test('[R26] a task that was skipped tells which one to retry instead', () => {
  const run = skips(aRun(aChain(2)).launch().runs('s0', { outcome: 'failed' }), 's0->s1');
  expect(run.tryTo(retry('s1'))).toBe('task-not-ready');
  expect(() => run.tell(retry('s1'))).toThrow(/retry "s0" first/);
});

test('[R26] a task of a run that is being cancelled is retried only once that has ended', () => {
  const run = aRun(aPlan(['a', 'b']))
    .launch()
    .runs('a', { outcome: 'failed' })
    .dispatch('b')
    .sent('b');
  run.tell({ type: 'run-cancel', runId });
  expect(run.tryTo(retry('a'))).toBe('conflict');
  run.ends('b', { outcome: 'cancelled' }).step({ type: 'run-end', runId });
  run.tell(retry('a'));
  expect(run.run).toMatchObject({ state: 'executing', cancelAsked: null });
});

test('[R27] a retry brings back the whole chain that was skipped behind it', () => {
  const run = skips(aRun(aChain(4)).launch().runs('s0', { outcome: 'failed' }), 's0->s1', 's1->s2', 's2->s3');
  run.tell(retry('s0'));
  expect(run.statuses()).toEqual({ s0: 'pending', s1: 'pending', s2: 'pending', s3: 'pending' });
  expect(run.task('s1')).toMatchObject({ currentRetry: 0, error: null, cancelCause: null });
});

test('[R27] what another failure blocks stays skipped, and comes back with that one', () => {
  const lines: LineDraft[] = [
    ['a', 'c', 'success_only'],
    ['b', 'c', 'success_only'],
  ];
  const run = aRun(aPlan(['a', 'b', 'c'], lines)).launch();
  run.runs('a', { outcome: 'failed' }).runs('b', { outcome: 'failed' });
  skips(run, 'a->c');
  run.tell(retry('a'));
  expect(run.task('c').status).toBe('cancelled');
  run.tell(retry('b'));
  expect(run.task('c').status).toBe('pending');
});

test('[R27] what ran because its prerequisite was skipped is not run again', () => {
  const lines: LineDraft[] = [
    ['a', 'b', 'success_only'],
    ['b', 'c', 'completion_only'],
  ];
  const run = skips(
    aRun(aPlan(['a', 'b', 'c'], lines))
      .launch()
      .runs('a', { outcome: 'failed' }),
    'a->b',
  ).runs('c');
  run.tell(retry('a'));
  expect(run.statuses()).toEqual({ a: 'pending', b: 'pending', c: 'completed' });
});

test('[R27] a task that a person cancelled does not come back with another one', () => {
  const run = aRun(aChain(2)).launch().runs('s0', { outcome: 'failed' });
  run.tell({ type: 'task-cancel', runId, taskId: taskId('s1') });
  run.tell(retry('s0'));
  expect(run.statuses()).toEqual({ s0: 'pending', s1: 'cancelled' });
});

test('[R28] a retry opens an ended run, which ends with one more final event', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .runs('a', { outcome: 'failed' })
    .step({ type: 'run-end', runId });
  expect(run.run.state).toBe('failed');
  run.tell(retry('a'));
  expect(run.run).toMatchObject({ state: 'executing', endedAtMs: null });
  run.runs('a').step({ type: 'run-end', runId });
  expect(run.run.state).toBe('completed');
  expect(run.events.filter(({ type }) => type === 'run-ended')).toHaveLength(2);
});

test('[R29] earlier attempts stay readable, with what they returned', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .dispatch('a')
    .sent('a');
  run.tell({
    ...run.ended('a', { outcome: 'failed', error: 'half done' }),
    result: { kind: 'inline', value: 'part' },
  } as never);
  expect(run.task('a').result).toEqual({ kind: 'inline', value: 'part' });
  run.tell(retry('a'));
  expect(run.task('a')).toMatchObject({ result: { kind: 'none' }, error: null, startedAtMs: null, endedAtMs: null });
  expect(run.task('a').attempts[0]).toMatchObject({
    state: { phase: 'ended', outcome: 'failed', error: 'half done' },
    supersededResult: { kind: 'inline', value: 'part' },
  });
});

test('[R30] in a run that was never launched, a retry dispatches its task itself', () => {
  const run = aRun(aPlan(['a', 'b'])).runs('a', { outcome: 'failed' });
  run.tell({ ...retry('a'), deviceId: deviceId('linux-2') });
  expect(run.task('a').attempts.map(({ state, deviceId: on }) => `${state.phase} on ${on}`)).toEqual([
    'ended on linux-1',
    'queued on linux-2',
  ]);
  expect(run.run.launchedAtMs).toBeNull();
});

test('[R30] in a launched run, the planner dispatches what was retried', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .runs('a', { outcome: 'failed' });
  expect(run.tell(retry('a')).map(({ type }) => type)).toEqual(['task-reset']);
});
