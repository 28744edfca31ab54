import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineState } from '@/lib/constellation/line-state';
import type { DependencyType } from '@/lib/constellation/task-star';
import { aPlan, aStar, type LineDraft } from '@/lib/constellation/testing/a-plan';
import { readyTasks } from '@/lib/constellation/testing/plan-lists';
import type { RunInput } from '@/lib/run/decide';
import { evolveRunAll } from '@/lib/run/evolve';
import { progressOf } from '@/lib/run/progress';
import { isTerminal, liveAttempt, type Run } from '@/lib/run/run';
import { parseRunSnapshot, toRunSnapshot } from '@/lib/run/run-snapshot';
import { A_RUN_ID, type ARun, aRun, deviceId } from '@/lib/run/testing/a-run';
import { advanceRun } from './advance-run';
import { planNext } from './plan-next';

const SIZE = 8;
const TYPES: readonly DependencyType[] = ['unconditional', 'success_only', 'completion_only', 'conditional'];
const IDS = Array.from({ length: SIZE }, (_, index) => `t${index}`);

const plans = fc
  .array(fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1), fc.constantFrom(...TYPES), fc.boolean()), { maxLength: 16 })
  .map((edges) =>
    edges
      .filter(([from, to]) => from !== to)
      .map(([from, to, type, hasCondition]): LineDraft => {
        const metadata = hasCondition ? { condition: { language: 'none', expression: 'x' } } : {};
        return [`t${Math.min(from, to)}`, `t${Math.max(from, to)}`, type, metadata];
      }),
  );

/** What the world does next, to whichever task the number picks among those that it fits. */
const ACTS = [
  'send',
  'accept',
  'complete',
  'fail',
  'stop',
  'lose',
  'cancel',
  'retry',
  'move',
  'again',
  'cancel-run',
] as const;
const acts = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.nat(SIZE - 1)), { maxLength: 60 });

type Act = (typeof ACTS)[number];

function inputOf(run: ARun, what: Act, pick: number): RunInput {
  const id = IDS[pick] ?? 't0';
  const task = run.task(id);
  const runId = A_RUN_ID;
  const { taskId } = task;
  const attempt = Math.max(1, task.attempts.length);
  switch (what) {
    case 'send':
      return { type: 'attempt-sending', runId, taskId, attempt };
    case 'accept':
      return { type: 'attempt-accepted', runId, taskId, attempt };
    case 'complete':
      return run.ended(id, { attempt, value: pick });
    case 'fail':
      return run.ended(id, { attempt, outcome: 'failed' });
    case 'stop':
      return run.ended(id, { attempt, outcome: 'cancelled' });
    case 'lose':
      return { type: 'attempt-lost', runId, taskId, attempt, reason: 'cut' };
    case 'cancel':
      return { type: 'task-cancel', runId, taskId };
    case 'retry':
      return { type: 'task-retry', runId, taskId };
    case 'move':
      return {
        type: 'task-place',
        runId,
        taskId,
        deviceId: deviceId('linux-2'),
        baseRevision: run.run.revision,
      };
    case 'again':
      return { type: 'task-dispatch', runId, taskId };
    case 'cancel-run':
      return { type: 'run-cancel', runId };
  }
}

/** Refusals are part of life: not every act fits every moment. */
function act(run: ARun, what: Act, pick: number): void {
  const input = inputOf(run, what, pick);
  if (run.tryTo(input) === 'ok') run.tell(input);
}

function advance(run: ARun): void {
  run.append(advanceRun(run.run, run.context()).events);
}

/** What must hold at every moment. */
function checkNow(run: ARun): void {
  const state = run.run;
  for (const task of state.tasks.values()) {
    const live = task.attempts.filter(({ state: { phase } }) => phase !== 'ended' && phase !== 'lost');
    expect(live.length).toBeLessThanOrEqual(1);
    expect(task.attempts.map(({ number }) => number)).toEqual(task.attempts.map((_, index) => index + 1));
    if (live[0] !== undefined) expect(task.attempts.at(-1)).toBe(live[0]);
    if (isTerminal(task.status)) expect(live).toEqual([]);
    if (task.status === 'running') expect(live).toHaveLength(1);
  }
  const sessions = [...state.tasks.values()].flatMap(({ attempts }) => attempts.map(({ sessionId }) => sessionId));
  expect(new Set(sessions).size).toBe(sessions.length);
  expect(planNext(state, run.fleet)).toEqual([]);
  checkReady(state);
}

function checkReady(state: Run): void {
  const progress = progressOf(state);
  for (const taskId of readyTasks(progress)) {
    const task = state.tasks.get(taskId);
    expect(task?.status).toBe('pending');
    expect(task === undefined ? undefined : liveAttempt(task)).toBeUndefined();
    for (const line of state.constellation.lines.values()) {
      if (line.toTaskId === taskId) expect(lineState(line, progress.factsOf(line.fromTaskId))).toBe('met');
    }
  }
}

/** From any state on, devices that go on answering bring a run to its end. */
function finish(run: ARun, outcomes: readonly boolean[]): number {
  let rounds = 0;
  while (run.run.endedAtMs === null) {
    rounds += 1;
    if (rounds > SIZE + 2) throw new Error(`stalled: ${JSON.stringify(run.statuses())}`);
    for (const [index, id] of IDS.entries()) {
      if (liveAttempt(run.task(id)) === undefined) continue;
      act(run, 'send', index);
      act(run, outcomes[index] === true ? 'complete' : 'fail', index);
    }
    advance(run);
  }
  return rounds;
}

const outcomes = fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE });
const aPlanOf = (lines: readonly LineDraft[]) =>
  aPlan(
    IDS.map((id, index) => aStar(id, { priority: index % 2 === 0 ? 2 : 3 })),
    lines,
  );

test('[R24][R8] whatever happens, a run never has two live attempts of a task, never stalls, and ends', () => {
  fc.assert(
    fc.property(plans, acts, outcomes, (lines, steps, answers) => {
      const run = aRun(aPlanOf(lines)).launch();
      advance(run);
      for (const [what, pick] of steps) {
        act(run, what, pick);
        advance(run);
        checkNow(run);
      }
      finish(run, answers);
      checkNow(run);
      const statuses = Object.values(run.statuses());
      expect(statuses.every((status) => status !== 'pending' && status !== 'running')).toBe(true);
      const finals = run.events.filter(({ type }) => type === 'run-ended').length;
      expect(finals).toBe(1 + run.events.filter(({ type }) => type === 'run-reopened').length);
    }),
    { numRuns: 150 },
  );
});

test('[R1][R2] a replay in batches of any size, and through a snapshot, gives the run that was lived', () => {
  fc.assert(
    fc.property(
      plans,
      acts,
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 }),
      (lines, steps, cuts) => {
        const run = aRun(aPlanOf(lines)).launch();
        for (const [what, pick] of steps) {
          act(run, what, pick);
          advance(run);
        }
        let replayed: Run | undefined;
        let at = 0;
        for (let turn = 0; at < run.events.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          replayed = evolveRunAll(replayed, run.events.slice(at, at + size));
          at += size;
          if (turn % 3 === 0) {
            const read = parseRunSnapshot(JSON.parse(JSON.stringify(toRunSnapshot(replayed))));
            replayed = read.ok ? read.value : undefined;
          }
        }
        expect(replayed).toEqual(run.run);
      },
    ),
    { numRuns: 100 },
  );
});

test('[R28] a run in which everything failed is completed by retrying task after task', () => {
  fc.assert(
    fc.property(plans, (lines) => {
      const run = aRun(
        aPlanOf(lines.map(([from, to, type = 'unconditional']): LineDraft => [from, to, type])),
      ).launch();
      advance(run);
      finish(
        run,
        IDS.map(() => false),
      );
      for (const [index] of IDS.entries()) {
        act(run, 'retry', index);
        advance(run);
        finish(
          run,
          IDS.map(() => true),
        );
      }
      expect(run.run.state).toBe('completed');
    }),
    { numRuns: 60 },
  );
});

test('a draft is only ever changed by hand', () => {
  fc.assert(
    fc.property(plans, acts, (lines, steps) => {
      const run = aRun(aPlanOf(lines));
      for (const [what, pick] of steps) {
        act(run, what, pick);
        const before = run.events.length;
        advance(run);
        const planned = run.events.slice(before);
        expect(planned.every(({ type }) => type === 'run-ended')).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});
