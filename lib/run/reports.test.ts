import { expect, test } from 'vitest';
import { aChain, aPlan } from '@/lib/constellation/testing/a-plan';
import { effectsOf } from './effects-of';
import { A_RUN_ID, aRun, taskId } from './testing/a-run';

const runId = A_RUN_ID;
const cancelTask = (id: string, reason?: string) =>
  ({ type: 'task-cancel', runId, taskId: taskId(id), ...(reason === undefined ? {} : { reason }) }) as const;

test('[R13] a link that asks to send an attempt again, or one that was cancelled, is refused', () => {
  const sent = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a');
  expect(sent.tryTo(sent.report('attempt-sending', 'a'))).toBe('stale-attempt');
  const withdrawn = aRun(aPlan(['a'])).dispatch('a');
  withdrawn.tell(cancelTask('a'));
  expect(withdrawn.tryTo(withdrawn.report('attempt-sending', 'a'))).toBe('stale-attempt');
});

test('[R14] the same ending told twice changes nothing', () => {
  const run = aRun(aPlan(['a'])).runs('a', { value: 1 });
  const before = run.run;
  expect(run.tell(run.ended('a', { value: 2 }))).toEqual([]);
  expect(run.run).toBe(before);
});

test('[R15] a late result of an old attempt is kept as a stray, once, and never applied', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .dispatch('a')
    .sent('a')
    .loses('a');
  run.tell({ type: 'task-retry', runId, taskId: taskId('a') });
  run.dispatch('a').sent('a');
  const late = run.ended('a', { attempt: 1, value: 'late' });
  expect(run.tell(late).map(({ type }) => type)).toEqual(['attempt-strayed']);
  expect(run.tell(late)).toEqual([]);
  expect(run.task('a')).toMatchObject({ status: 'running', result: { kind: 'none' } });
  expect(run.task('a').attempts[0]?.strays).toMatchObject([{ outcome: 'completed', result: { value: 'late' } }]);
});

test('[R16] a success that returned null is a success', () => {
  const run = aRun(aPlan(['a'])).runs('a', { value: null });
  expect(run.task('a')).toMatchObject({ status: 'completed', result: { kind: 'inline', value: null }, error: null });
});

test('[R16] a failure without words gets some', () => {
  const run = aRun(aPlan(['a'])).runs('a', { outcome: 'failed', error: '' });
  expect(run.task('a')).toMatchObject({ status: 'failed', failureCause: 'device' });
  expect(run.task('a').error).toMatch(/without saying why/);
});

test('[R17] a lost attempt fails its task, and says that nobody knows the outcome', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a')
    .loses('a', 'the link was closed');
  expect(run.task('a')).toMatchObject({
    status: 'failed',
    failureCause: 'outcome-unknown',
    error: 'outcome unknown: the link was closed',
  });
  expect(run.task('a').attempts[0]?.state).toMatchObject({ phase: 'lost', reason: 'the link was closed' });
});

test('[R17] an attempt that is still queued cannot be lost', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .loses('a');
  expect(run.task('a').attempts[0]?.state).toEqual({ phase: 'queued' });
});

test('[R18] what was never sent is cancelled at once and taken out of the queue', () => {
  const run = aRun(aPlan(['a', 'b']))
    .launch()
    .dispatch('a');
  const events = run.tell(cancelTask('a', 'wrong host'));
  expect(events.flatMap((event) => effectsOf(event, run.run))).toMatchObject([
    { type: 'withdraw-attempt', taskId: 'a', attempt: 1, deviceId: 'linux-1' },
  ]);
  expect(run.task('a')).toMatchObject({ status: 'cancelled', error: 'Cancelled by ada: wrong host' });
  run.tell(cancelTask('b'));
  expect(run.task('b')).toMatchObject({ status: 'cancelled', cancelCause: { kind: 'operator' }, attempts: [] });
});

test('[R19] what was sent is cancelling until its link reports the end', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a');
  const events = run.tell(cancelTask('a', 'too slow'));
  expect(events.flatMap((event) => effectsOf(event, run.run))).toMatchObject([
    { type: 'cancel-attempt', taskId: 'a', attempt: 1, deviceId: 'linux-1', reason: 'too slow' },
  ]);
  expect(run.task('a').status).toBe('running');
  expect(run.task('a').attempts[0]?.state).toMatchObject({ phase: 'cancelling', actor: 'ada', reason: 'too slow' });
  expect(run.tell(cancelTask('a'))).toEqual([]);
  run.ends('a', { outcome: 'cancelled' });
  expect(run.task('a')).toMatchObject({ status: 'cancelled', error: 'Cancelled by ada: too slow' });
});

test('[R19] a link that is lost while cancelling ends the cancel, and keeps that the outcome is unknown', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a');
  run.tell(cancelTask('a'));
  run.loses('a', 'relay restarted');
  expect(run.task('a')).toMatchObject({
    status: 'cancelled',
    error: 'Cancelled by ada; outcome unknown: relay restarted',
  });
  expect(run.task('a').attempts[0]?.state.phase).toBe('lost');
});

test.each(['completed', 'failed'] as const)(
  '[R20] a device that %s before the cancel reached it: both facts are kept',
  (outcome) => {
    const run = aRun(aChain(2)).launch().dispatch('s0').sent('s0');
    run.tell(cancelTask('s0'));
    run.ends('s0', { outcome, value: 42 });
    expect(run.task('s0')).toMatchObject({ status: 'cancelled', cancelCause: { kind: 'operator' } });
    expect(run.task('s0').attempts[0]).toMatchObject({
      state: { phase: 'ended', outcome: 'cancelled' },
      strays: [{ outcome }],
    });
  },
);

test('[R21] cancelling a run cancels all that has not ended, and ends as cancelled', () => {
  const run = aRun(aPlan(['done', 'sent', 'queued', 'waiting']))
    .launch()
    .runs('done');
  run.dispatch('sent').sent('sent').dispatch('queued');
  run.tell({ type: 'run-cancel', runId, reason: 'wrong plan' });
  expect(run.statuses()).toEqual({ done: 'completed', sent: 'running', queued: 'cancelled', waiting: 'cancelled' });
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('waiting') })).toBe('run-ended');
  run.ends('sent', { outcome: 'cancelled' });
  run.tell({ type: 'run-end', runId });
  expect(run.run).toMatchObject({ state: 'cancelled', cancelAsked: { actor: 'ada', reason: 'wrong plan' } });
  expect(run.task('sent')).toMatchObject({
    cancelCause: { kind: 'run' },
    error: 'The run was cancelled by ada: wrong plan',
  });
});

test('[R21] cancelling a run twice is harmless, cancelling one that is over is refused', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .dispatch('a')
    .sent('a');
  run.tell({ type: 'run-cancel', runId });
  expect(run.tell({ type: 'run-cancel', runId })).toEqual([]);
  const over = aRun(aPlan(['a']))
    .runs('a')
    .step({ type: 'run-end', runId });
  expect(over.tryTo({ type: 'run-cancel', runId })).toBe('run-ended');
});

test('[R21] a run can be cancelled while one of its tasks is being cancelled already', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .dispatch('a')
    .sent('a');
  run.tell(cancelTask('a'));
  expect(run.tell({ type: 'run-cancel', runId }).map(({ type }) => type)).toEqual(['run-cancel-asked']);
});

test('[R23] only a blocked task is skipped, and the line is kept as its cause', () => {
  const run = aRun(aChain(2)).launch();
  const skip = {
    type: 'task-skip',
    runId,
    taskId: taskId('s1'),
    lineId: run.run.constellation.lines.keys().next().value!,
  } as const;
  expect(run.tryTo(skip)).toBe('not-allowed');
  run.runs('s0', { outcome: 'failed' });
  run.tell(skip);
  expect(run.task('s1')).toMatchObject({ status: 'cancelled', cancelCause: { kind: 'blocked', lineId: 's0->s1' } });
  expect(run.task('s1').error).toMatch(/Skipped: line "s0->s1" \(success_only\) needs "s0", which is failed/);
  expect(run.tryTo(skip)).toBe('not-allowed');
});

test('a dispatch asks for its attempt to be queued, with all that a link needs', () => {
  const run = aRun(aPlan(['a']));
  const [event] = run.tell({ type: 'task-dispatch', runId, taskId: taskId('a') });
  expect(effectsOf(event!, run.run)).toEqual([
    {
      type: 'enqueue-attempt',
      runId,
      taskId: 'a',
      attempt: 1,
      deviceId: 'linux-1',
      sessionId: run.task('a').attempts[0]?.sessionId,
    },
  ]);
});

test('an attempt that ended after it was sent asks for nothing more', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a');
  const events = run.tell(run.ended('a'));
  expect(events.flatMap((event) => effectsOf(event, run.run))).toEqual([]);
});
