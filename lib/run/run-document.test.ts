import { expect, test } from 'vitest';
import { readConstellation } from '@/lib/constellation/codec';
import { aChain, aPlan } from '@/lib/constellation/testing/a-plan';
import { anImportContext } from '@/lib/constellation/testing/import-context';
import { parseJson } from '@/lib/std/json';
import { runDocumentSchema } from './run-document';
import { A_RUN_ID, type ARun, aRun, taskId } from './testing/a-run';
import { toRunDocument } from './to-run-document';

const written = (run: ARun) => runDocumentSchema.parse(JSON.parse(JSON.stringify(toRunDocument(run.run, run.fleet))));

test('a run is shown in the form of the reference, with what happened to it', () => {
  const run = aRun(aChain(2))
    .launch()
    .runs('s0', { value: { rows: 2 } })
    .dispatch('s1');
  const document = written(run);
  expect(document).toMatchObject({ run_id: A_RUN_ID, state: 'executing', created_by: 'ada', launched_by: 'ada' });
  expect(document.tasks.s0).toMatchObject({
    status: 'completed',
    display_state: 'completed',
    result: { rows: 2 },
    execution_duration: 2,
    dependents: ['s1'],
    attempts: [{ number: 1, device_id: 'linux-1', phase: 'ended', outcome: 'completed', result: { rows: 2 } }],
  });
  expect(document.tasks.s1).toMatchObject({ status: 'pending', display_state: 'dispatching', dependencies: [] });
  expect(document.dependencies['s0->s1']).toMatchObject({ is_satisfied: true, last_evaluation_result: true });
});

test('results, cancels and strays of every attempt are shown', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .dispatch('a')
    .sent('a');
  run.tell({ type: 'task-cancel', runId: A_RUN_ID, taskId: taskId('a'), reason: 'too slow' });
  expect(written(run).tasks.a?.attempts[0]).toMatchObject({
    phase: 'cancelling',
    cancel_asked_by: 'ada',
    cancel_reason: 'too slow',
  });
  run.ends('a', { value: 'late' });
  run.tell({ type: 'task-retry', runId: A_RUN_ID, taskId: taskId('a') });
  run.runs('a', { value: 'good' });
  const { attempts, result } = written(run).tasks.a ?? {};
  expect(result).toBe('good');
  expect(attempts?.map((attempt) => attempt.result)).toEqual([null, 'good']);
  expect(attempts?.[0]?.strays).toMatchObject([{ outcome: 'completed', result: 'late' }]);
});

test('a result in a blob is named by its handle', () => {
  const run = aRun(aPlan(['a']))
    .dispatch('a')
    .sent('a');
  const ended = run.ended('a');
  if (ended.type !== 'attempt-ended') throw new Error('unreachable');
  run.tell({ ...ended, result: { kind: 'blob', handle: 'h1', sizeBytes: 5_000_000 } });
  expect(written(run).tasks.a).toMatchObject({ result: null, result_blob: { handle: 'h1', size_bytes: 5_000_000 } });
});

test('what a run shows can be imported again, without a word about its own fields', () => {
  const run = aRun(aChain(3)).launch().runs('s0', { value: 7 });
  const text = JSON.stringify(toRunDocument(run.run, run.fleet));
  const parsed = parseJson(text, { depthMax: 64, protoKey: 'refuse' });
  const read = parsed.ok ? readConstellation(parsed.value, anImportContext()) : undefined;
  expect(read?.ok && read.value.document).toEqual({
    ...aChain(3),
    updatedAt: expect.any(String),
  });
  expect(read?.ok && read.value.warnings).toEqual([]);
  expect(read?.ok && read.value.outcomes.get(taskId('s0'))).toMatchObject({ status: 'completed', result: 7 });
});
