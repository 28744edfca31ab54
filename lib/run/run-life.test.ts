import { expect, test } from 'vitest';
import { z } from 'zod';
import { taskStatusSchema } from '@/lib/constellation/task-star';
import { aChain, aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import vectors from '@/lib/constellation/testing/vectors/ready_sequences.json';
import { aFleet } from '@/lib/fleet/testing/a-fleet';
import { createRun } from './decide-run';
import { evolveRunAll } from './evolve';
import { parseRunSnapshot, toRunSnapshot } from './run-snapshot';
import { finalState } from './run-state';
import { A_RUN_ID, aRun, deviceId, taskId } from './testing/a-run';

const runId = A_RUN_ID;

const finalSchema = z.object({
  statuses: z.record(z.string(), taskStatusSchema),
  state: z.string(),
  recommended: z.object({ state: z.string().optional() }).optional(),
});

/** A run with a bit of everything in it. */
function aLifetime() {
  const run = aRun(
    aPlan(
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b', 'success_only'],
        ['b', 'c', 'completion_only'],
      ],
    ),
  ).launch();
  run.dispatch('d', 'linux-2').sent('d').loses('d');
  run.runs('a', { outcome: 'failed', error: 'no disk' });
  run.tell({ type: 'task-skip', runId, taskId: taskId('b'), lineId: run.run.constellation.lines.keys().next().value! });
  run.runs('c', { value: 'ok' });
  run.tell({ type: 'run-end', runId });
  run.tell({ type: 'task-retry', runId, taskId: taskId('a'), deviceId: deviceId('linux-2') });
  run.tell(run.ended('d', { attempt: 1, value: 'late' }));
  return run.dispatch('a').sent('a');
}

test('[R1] the same events give the same run, however they are batched', () => {
  const { events, run } = aLifetime();
  const oneByOne = events.reduce<typeof run | undefined>((state, event) => evolveRunAll(state, [event]), undefined);
  expect(oneByOne).toEqual(run);
  expect(evolveRunAll(undefined, events)).toEqual(run);
  const half = Math.floor(events.length / 2);
  expect(evolveRunAll(evolveRunAll(undefined, events.slice(0, half)), events.slice(half))).toEqual(run);
});

test('[R1] tasks that no event names keep their identity', () => {
  const run = aRun(aPlan(['a', 'b'])).launch();
  const before = run.run;
  run.dispatch('a');
  expect(run.run.tasks.get(taskId('b'))).toBe(before.tasks.get(taskId('b')));
  expect(run.run.constellation).toBe(before.constellation);
  expect(before.tasks.get(taskId('a'))?.attempts).toEqual([]);
});

test('[R1] an event of a task that the run does not have is a hole in the stream, and is not passed over', () => {
  const { run } = aRun(aPlan(['a']));
  const event = { type: 'attempt-sending', atMs: 1, taskId: taskId('ghost'), attempt: 1 } as const;
  expect(() => evolveRunAll(run, [event])).toThrow('"ghost"');
  expect(() => evolveRunAll(undefined, [event])).toThrow('run-created');
});

test('[R2] a run that went through its snapshot is the same run', () => {
  const { run } = aLifetime();
  const text = JSON.stringify(toRunSnapshot(run));
  expect(parseRunSnapshot(JSON.parse(text))).toEqual({ ok: true, value: run });
});

test('[R2] what is no snapshot is refused with the place', () => {
  const read = parseRunSnapshot({ ...toRunSnapshot(aLifetime().run), revision: 'x' });
  expect(!read.ok && read.error).toContain('revision');
});

test('[R3] a draft may hold tasks without a device or on an unknown one, each with a warning', () => {
  const { run } = aRun(aPlan([aStar('a', { targetDeviceId: null }), aStar('b', { targetDeviceId: 'pc-9' }), 'c']));
  expect(run.state).toBe('ready');
  expect(run.warnings.map(({ path }) => path)).toEqual(['tasks.a.target_device_id', 'tasks.b.target_device_id']);
  expect(run.warnings[1]?.message).toContain('"pc-9"');
  expect(run.warnings[1]?.message).toContain('linux-1');
});

test('[R4] a launch names every task that has no device or an unknown one, and the devices that exist', () => {
  const draft = aRun(aPlan([aStar('a', { targetDeviceId: null }), aStar('b', { targetDeviceId: 'pc-9' }), 'c']));
  expect(draft.tryTo({ type: 'run-launch', runId })).toBe('device-missing');
  const created = createRun(
    {
      type: 'run-create',
      runId,
      document: aPlan([aStar('b', { targetDeviceId: 'pc-9' }), 'c']),
      outcomes: new Map(),
      warnings: [],
      launch: 'at-once',
    },
    draft.context(),
  );
  expect(!created.ok && created.error.code).toBe('device-unknown');
  expect(!created.ok && created.error.message).toMatch(/b \(on "pc-9"\).*linux-1, linux-2/);
  expect(!created.ok && created.error.message).not.toContain('c (');
});

test('[R4] tasks that a file brings along finished need no device', () => {
  const outcome = {
    status: 'completed',
    result: 1,
    error: null,
    startedAt: null,
    endedAt: null,
    currentRetry: 0,
  } as const;
  const outcomes = new Map([[taskId('a'), outcome]]);
  const run = aRun(aPlan([aStar('a', { targetDeviceId: 'gone' }), 'b']), { outcomes, launch: 'at-once' });
  expect(run.run.warnings).toEqual([]);
  expect(run.statuses()).toEqual({ a: 'completed', b: 'pending' });
});

test('[R4] a plan with a cycle never becomes a run, whoever made it', () => {
  expect(() =>
    aRun(
      aPlan(
        ['a', 'b'],
        [
          ['a', 'b'],
          ['b', 'a'],
        ],
      ),
    ),
  ).toThrow(/cycle/);
});

test('[R5] a second launch is refused', () => {
  const run = aRun(aPlan(['a'])).launch();
  expect(run.tryTo({ type: 'run-launch', runId })).toBe('already-launched');
});

test('[R5] a run that was cancelled as a draft cannot be launched', () => {
  const run = aRun(aPlan(['a']));
  run.tell({ type: 'run-cancel', runId });
  run.tell({ type: 'run-end', runId });
  expect(run.tryTo({ type: 'run-launch', runId })).toBe('run-ended');
});

test('[R6] a run executes from its launch on, with a failure as its only progress too', () => {
  const run = aRun(aChain(2));
  expect(run.run.state).toBe('ready');
  run.launch();
  expect(run.run.state).toBe('executing');
  run.runs('s0', { outcome: 'failed' });
  expect(run.run.state).toBe('executing');
});

test('[R6] an empty plan is created, not ready', () => {
  expect(aRun(aPlan([])).run.state).toBe('created');
});

test('[R7] a task behind an open line is not dispatched, and the line is named', () => {
  const run = aRun(aChain(2));
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('s1') })).toBe('task-not-ready');
  expect(() => run.dispatch('s1')).toThrow(/"s0->s1".*"s0", which is pending/);
});

test('[R7] a task is not dispatched without a device, or to one that does not exist', () => {
  const run = aRun(aPlan([aStar('a', { targetDeviceId: null })]));
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('a') })).toBe('device-missing');
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('a'), deviceId: deviceId('pc-9') })).toBe(
    'device-unknown',
  );
  run.dispatch('a', 'linux-2');
  expect(run.run.constellation.tasks.get(taskId('a'))?.targetDeviceId).toBe('linux-2');
});

test('[R7] inputs for runs and tasks that do not exist are refused', () => {
  const run = aRun(aPlan(['a']));
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('ghost') })).toBe('task-unknown');
  expect(run.tryTo({ type: 'run-launch', runId: 'f'.repeat(32) as typeof runId })).toBe('run-unknown');
});

test('[R8] a second dispatch is refused and tells where the first one went', () => {
  const run = aRun(aPlan(['a'])).dispatch('a');
  expect(run.tryTo({ type: 'task-dispatch', runId, taskId: taskId('a') })).toBe('already-dispatched');
  expect(() => run.dispatch('a', 'linux-2')).toThrow(/try 1 is queued on linux-1/);
});

test('[R9] every attempt has its own number and session', () => {
  const run = aRun(aPlan(['a']))
    .launch()
    .runs('a', { outcome: 'failed' });
  run.tell({ type: 'task-retry', runId, taskId: taskId('a') });
  run.runs('a');
  const attempts = run.task('a').attempts;
  expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  expect(attempts[0]?.sessionId).toMatch(/^0+1\.a\.1\.[0-9a-f]{32}$/);
  expect(attempts[1]?.sessionId).toMatch(/^0+1\.a\.2\.[0-9a-f]{32}$/);
  expect(attempts[0]?.sessionId.split('.').at(-1)).not.toBe(attempts[1]?.sessionId.split('.').at(-1));
});

test('[R10] a task is pending while its attempt is queued, and running from the sending on', () => {
  const run = aRun(aPlan(['a'])).dispatch('a');
  expect(run.task('a').status).toBe('pending');
  run.tell(run.report('attempt-sending', 'a'));
  expect(run.task('a')).toMatchObject({ status: 'running', startedAtMs: run.nowMs });
});

test('[R11] a dispatch by hand works on a draft, which stays a draft', () => {
  const run = aRun(aPlan(['a', 'b'])).runs('a');
  expect(run.run.launchedAtMs).toBeNull();
  expect(run.statuses()).toEqual({ a: 'completed', b: 'pending' });
});

test('[R12] a task is placed against the current revision only, and a refusal tells it', () => {
  const run = aRun(aPlan(['a']));
  const place = { type: 'task-place', runId, taskId: taskId('a'), deviceId: deviceId('linux-2') } as const;
  run.tell({ ...place, baseRevision: 0 });
  expect(run.run.revision).toBe(1);
  expect(run.tryTo({ ...place, baseRevision: 0 })).toBe('stale-revision');
  expect(() => run.tell({ ...place, baseRevision: 0 })).toThrow(/expected revision 1, got 0/);
  expect(run.tell({ ...place, baseRevision: 1 })).toEqual([]);
  expect(run.run.revision).toBe(1);
});

test('[R12] a task can be taken off its device while the run is a draft, and not afterwards', () => {
  const run = aRun(aPlan(['a', 'b']));
  run.tell({ type: 'task-place', runId, taskId: taskId('a'), deviceId: null, baseRevision: 0 });
  expect(run.run.constellation.tasks.get(taskId('a'))?.targetDeviceId).toBeNull();
  run.tell({ type: 'task-place', runId, taskId: taskId('a'), deviceId: deviceId('linux-1'), baseRevision: 1 });
  run.launch();
  expect(run.tryTo({ type: 'task-place', runId, taskId: taskId('b'), deviceId: null, baseRevision: 2 })).toBe(
    'device-missing',
  );
  expect(
    run.tryTo({ type: 'task-place', runId, taskId: taskId('b'), deviceId: deviceId('pc-9'), baseRevision: 2 }),
  ).toBe('device-unknown');
});

test('[R24] a draft ends by itself when its tasks were all run by hand', () => {
  const run = aRun(aPlan(['a'])).runs('a');
  run.tell({ type: 'run-end', runId });
  expect(run.run.state).toBe('completed');
  expect(run.tell({ type: 'run-end', runId })).toEqual([]);
});

test('[R24] a run does not end while a task is left', () => {
  expect(
    aRun(aPlan(['a', 'b']))
      .runs('a')
      .tryTo({ type: 'run-end', runId }),
  ).toBe('not-allowed');
});

test.each([
  [['completed', 'completed'], 'completed'],
  [['completed', 'failed'], 'partially_failed'],
  [['completed', 'cancelled'], 'partially_failed'],
  [['failed', 'cancelled'], 'failed'],
  [['cancelled', 'cancelled'], 'cancelled'],
] as const)('[R25] tasks that are %j end their run as %s', (outcomes, state) => {
  const run = aRun(aPlan(['a', 'b'])).launch();
  for (const [index, id] of ['a', 'b'].entries()) run.runs(id, { outcome: outcomes[index]! });
  run.tell({ type: 'run-end', runId });
  expect(run.run).toMatchObject({ state, endedAtMs: run.nowMs });
});

/** Where every task of a vector has ended, its state is a final one. */
const finals = vectors.cases.flatMap(({ id, steps }) =>
  steps
    .map((step) => step.expect)
    .filter(({ is_complete }) => is_complete)
    .map((answer) => {
      const { statuses, state, recommended } = finalSchema.parse(answer);
      return { id, statuses, state: recommended?.state ?? state };
    }),
);

test.each(finals)(
  '[R25] the reference scripts end as they should: $id with $statuses is $state',
  ({ statuses, state }) => {
    const tasks = new Map(
      Object.entries(statuses).map(([id, status]) => [taskId(id), { ...aRun(aPlan([id])).task(id), status }]),
    );
    expect(finalState({ tasks, cancelAsked: null })).toBe(state);
  },
);

test('a launch with another fleet than the one of the draft asks the fleet of now', () => {
  const run = aRun(aPlan([aStar('a', { targetDeviceId: 'late' })]));
  expect(run.tryTo({ type: 'run-launch', runId })).toBe('device-unknown');
  run.fleet = aFleet('late');
  run.launch();
  expect(run.run.launchedBy).toBe('ada');
});
