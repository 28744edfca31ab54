import { expect, test } from 'vitest';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import type { RunCommand } from '@/lib/run/commands';
import { A_RUN_ID, type ARun, aRun, taskId } from '@/lib/run/testing/a-run';
import { commandIdSchema } from '@/lib/std/ids';
import { isPendingFor } from './pending-for';
import { permitFor } from './run-permits';

const PLAN = aPlan(['a', aStar('b', { targetDeviceId: 'ghost' })], [['a', 'b', 'success_only']]);
const permit = (run: ARun, command: RunCommand) => permitFor(run.run, run.fleet, command);

test('a launch is not offered while a task is on a device that nobody knows, and the reason names it', () => {
  const answer = permit(aRun(PLAN), { type: 'run-launch', runId: A_RUN_ID });
  expect(answer).toMatchObject({ isAllowed: false, reason: expect.stringContaining('ghost') });
});

test('only a ready task can be dispatched, and only once', () => {
  const dispatch = (id: string): RunCommand => ({ type: 'task-dispatch', runId: A_RUN_ID, taskId: taskId(id) });
  const run = aRun(PLAN);
  expect(permit(run, dispatch('a'))).toEqual({ isAllowed: true });
  expect(permit(run, dispatch('b')).isAllowed).toBe(false);
  run.dispatch('a');
  expect(permit(run, dispatch('a')).isAllowed).toBe(false);
});

test('a failed task can be retried, a running one cancelled, and not the other way round', () => {
  const target = { runId: A_RUN_ID, taskId: taskId('a') };
  const run = aRun(PLAN).dispatch('a').sent('a');
  expect(permit(run, { type: 'task-cancel', ...target }).isAllowed).toBe(true);
  expect(permit(run, { type: 'task-retry', ...target }).isAllowed).toBe(false);
  run.ends('a', { outcome: 'failed' });
  expect(permit(run, { type: 'task-cancel', ...target }).isAllowed).toBe(false);
  expect(permit(run, { type: 'task-retry', ...target }).isAllowed).toBe(true);
});

test('asking changes nothing in the run', () => {
  const run = aRun(PLAN);
  const before = run.run;
  permit(run, { type: 'task-dispatch', runId: A_RUN_ID, taskId: taskId('a') });
  expect(run.run).toBe(before);
  expect(run.task('a').attempts).toEqual([]);
});

test('a mark of a command stands at its own task only', () => {
  const command: RunCommand = { type: 'task-retry', runId: A_RUN_ID, taskId: taskId('a') };
  const pending = new Map([[commandIdSchema.parse('command-1'), { command, awaiting: null }]]);
  const isMarked = (id: string) => isPendingFor({ pending }, { ...command, taskId: taskId(id) });
  expect(isMarked('a')).toBe(true);
  expect(isMarked('b')).toBe(false);
  expect(isPendingFor({ pending }, { type: 'run-launch', runId: A_RUN_ID })).toBe(false);
});
