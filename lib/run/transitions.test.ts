import { expect, test } from 'vitest';
import type { ConstellationState } from '@/lib/constellation/constellation';
import type { TaskStatus } from '@/lib/constellation/task-star';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import { lineIdSchema } from '@/lib/std/ids';
import type { RefusalCode } from './commands';
import type { RunInput } from './decide';
import type { RunEvent } from './events';
import type { AttemptOutcome, AttemptPhase } from './run';
import { A_RUN_ID, type ARun, aRun, taskId } from './testing/a-run';

/** Every moment in the life of a task: a status or a phase that is new does not compile until it stands here. */
type Moment =
  | 'ready'
  | 'waiting'
  | 'blocked'
  | Exclude<AttemptPhase, 'ended'>
  | Exclude<TaskStatus, 'pending' | 'running'>;

/** Task `a` of a launched run at each moment. */
const MOMENTS: Record<Moment, () => ARun> = {
  ready: () => launched(),
  waiting: () => behind(),
  blocked: () => behind().runs('z', { outcome: 'failed' }),
  queued: () => launched().dispatch('a'),
  sending: () => sending(launched()),
  accepted: () => launched().dispatch('a').sent('a'),
  cancelling: () => cancelled(launched().dispatch('a').sent('a')),
  completed: () => launched().runs('a'),
  failed: () => launched().runs('a', { outcome: 'failed' }),
  lost: () => launched().dispatch('a').sent('a').loses('a'),
  cancelled: () => cancelled(launched()),
};

const runId = A_RUN_ID;
const a = taskId('a');
const lineId = lineIdSchema.parse('z->a');

function launched(): ARun {
  return aRun(aPlan(['a', 'other'])).launch();
}

function behind(): ARun {
  return aRun(aPlan(['z', 'a'], [['z', 'a', 'success_only']])).launch();
}

function sending(run: ARun): ARun {
  run.dispatch('a').tell(run.report('attempt-sending', 'a'));
  return run;
}

function cancelled(run: ARun): ARun {
  run.tell({ type: 'task-cancel', runId, taskId: a });
  return run;
}

/** Everything that a task can be told; an ending once per outcome. */
type TaskInput = Exclude<RunInput, { type: RunWide | 'attempt-ended' }>['type'] | `attempt-ended ${AttemptOutcome}`;
type RunWide = 'run-launch' | 'run-cancel' | 'run-end';

const TASK_INPUTS: Record<TaskInput, (run: ARun) => RunInput> = {
  'task-place': ({ run }) => ({ type: 'task-place', runId, taskId: a, deviceId: null, baseRevision: run.revision }),
  'task-dispatch': () => ({ type: 'task-dispatch', runId, taskId: a }),
  'task-cancel': () => ({ type: 'task-cancel', runId, taskId: a }),
  'task-retry': () => ({ type: 'task-retry', runId, taskId: a }),
  'task-skip': () => ({ type: 'task-skip', runId, taskId: a, lineId }),
  'attempt-sending': () => ({ type: 'attempt-sending', runId, taskId: a, attempt: 1 }),
  'attempt-accepted': () => ({ type: 'attempt-accepted', runId, taskId: a, attempt: 1 }),
  'attempt-ended completed': (run) => run.ended('a', { outcome: 'completed', attempt: 1 }),
  'attempt-ended failed': (run) => run.ended('a', { outcome: 'failed', attempt: 1 }),
  'attempt-ended cancelled': (run) => run.ended('a', { outcome: 'cancelled', attempt: 1 }),
  'attempt-lost': () => ({ type: 'attempt-lost', runId, taskId: a, attempt: 1, reason: 'link closed' }),
};

/** Events without their common ending; `''` is allowed and changes nothing; an exclamation mark is a refusal. */
type Outcome =
  | ''
  | `!${RefusalCode}`
  | RunEvent['type']
  | `${RunEvent['type']} ${RunEvent['type']}`
  | `${RunEvent['type']} ${RunEvent['type']} ${RunEvent['type']}`;

const STALE = '!stale-attempt';
/** What a link may say of an attempt that was never made. */
const NO_ATTEMPT = {
  'attempt-sending': STALE,
  'attempt-accepted': STALE,
  'attempt-ended completed': STALE,
  'attempt-ended failed': STALE,
  'attempt-ended cancelled': STALE,
  'attempt-lost': STALE,
} as const;
const COMPLETES = 'attempt-ended task-completed';
const FAILS = 'attempt-ended task-failed';
const STOPS = 'attempt-ended task-cancelled';
const STRAYS = 'attempt-strayed attempt-ended task-cancelled';

const TASK_TABLE: Record<Moment, Record<TaskInput, Outcome>> = {
  ready: {
    'task-place': '!device-missing',
    'task-dispatch': 'task-dispatched',
    'task-cancel': 'task-cancelled',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    ...NO_ATTEMPT,
  },
  waiting: {
    'task-place': '!device-missing',
    'task-dispatch': '!task-not-ready',
    'task-cancel': 'task-cancelled',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    ...NO_ATTEMPT,
  },
  blocked: {
    'task-place': '!device-missing',
    'task-dispatch': '!task-not-ready',
    'task-cancel': 'task-cancelled',
    'task-retry': '!task-not-failed',
    'task-skip': 'task-cancelled',
    ...NO_ATTEMPT,
  },
  queued: {
    'task-place': '!already-dispatched',
    'task-dispatch': '!already-dispatched',
    'task-cancel': STOPS,
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    'attempt-sending': 'attempt-sending',
    'attempt-accepted': '',
    'attempt-ended completed': COMPLETES,
    'attempt-ended failed': FAILS,
    'attempt-ended cancelled': STOPS,
    'attempt-lost': '',
  },
  sending: {
    'task-place': '!task-running',
    'task-dispatch': '!already-dispatched',
    'task-cancel': 'attempt-cancelling',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': 'attempt-accepted',
    'attempt-ended completed': COMPLETES,
    'attempt-ended failed': FAILS,
    'attempt-ended cancelled': STOPS,
    'attempt-lost': 'attempt-lost task-failed',
  },
  accepted: {
    'task-place': '!task-running',
    'task-dispatch': '!already-dispatched',
    'task-cancel': 'attempt-cancelling',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': '',
    'attempt-ended completed': COMPLETES,
    'attempt-ended failed': FAILS,
    'attempt-ended cancelled': STOPS,
    'attempt-lost': 'attempt-lost task-failed',
  },
  cancelling: {
    'task-place': '!task-running',
    'task-dispatch': '!already-dispatched',
    'task-cancel': '',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': '',
    'attempt-ended completed': STRAYS,
    'attempt-ended failed': STRAYS,
    'attempt-ended cancelled': STOPS,
    'attempt-lost': 'attempt-lost task-cancelled',
  },
  completed: {
    'task-place': '!task-ended',
    'task-dispatch': '!task-ended',
    'task-cancel': '!task-ended',
    'task-retry': '!task-not-failed',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': '',
    'attempt-ended completed': '',
    'attempt-ended failed': 'attempt-strayed',
    'attempt-ended cancelled': '',
    'attempt-lost': '',
  },
  failed: {
    'task-place': '!task-ended',
    'task-dispatch': '!task-ended',
    'task-cancel': '!task-ended',
    'task-retry': 'task-reset',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': '',
    'attempt-ended completed': 'attempt-strayed',
    'attempt-ended failed': '',
    'attempt-ended cancelled': '',
    'attempt-lost': '',
  },
  lost: {
    'task-place': '!task-ended',
    'task-dispatch': '!task-ended',
    'task-cancel': '!task-ended',
    'task-retry': 'task-reset',
    'task-skip': '!not-allowed',
    'attempt-sending': STALE,
    'attempt-accepted': '',
    'attempt-ended completed': 'attempt-strayed',
    'attempt-ended failed': 'attempt-strayed',
    'attempt-ended cancelled': '',
    'attempt-lost': '',
  },
  cancelled: {
    'task-place': '!task-ended',
    'task-dispatch': '!task-ended',
    'task-cancel': '!task-ended',
    'task-retry': 'task-reset',
    'task-skip': '!not-allowed',
    ...NO_ATTEMPT,
  },
};

/** The run as a whole, at each of its states. */
const STATES: Record<ConstellationState, () => ARun> = {
  created: () => aRun(aPlan([])),
  ready: () => aRun(aPlan(['a'])),
  executing: () => launched(),
  completed: () => over(launchedWith(['completed', 'completed'])),
  partially_failed: () => over(launchedWith(['completed', 'failed'])),
  failed: () => over(launchedWith(['failed', 'failed'])),
  cancelled: () => over(cancelledRun(launched())),
};

function launchedWith([first, second]: readonly ['completed' | 'failed', 'completed' | 'failed']): ARun {
  return launched().runs('a', { outcome: first }).runs('other', { outcome: second });
}

function cancelledRun(run: ARun): ARun {
  run.tell({ type: 'run-cancel', runId });
  return run;
}

function over(run: ARun): ARun {
  return run.step({ type: 'run-end', runId });
}

const ENDED = { 'run-launch': '!already-launched', 'run-cancel': '!run-ended', 'run-end': '' } as const;

const RUN_TABLE: Record<ConstellationState, Record<RunWide, Outcome>> = {
  created: { 'run-launch': 'run-launched', 'run-cancel': 'run-cancel-asked', 'run-end': 'run-ended' },
  ready: { 'run-launch': 'run-launched', 'run-cancel': 'run-cancel-asked task-cancelled', 'run-end': '!not-allowed' },
  executing: {
    'run-launch': '!already-launched',
    'run-cancel': 'run-cancel-asked task-cancelled task-cancelled',
    'run-end': '!not-allowed',
  },
  completed: ENDED,
  partially_failed: ENDED,
  failed: ENDED,
  cancelled: { ...ENDED, 'run-cancel': '' },
};

/** Sound: a table's keys are those of its type, which the annotation holds. */
function rowsOf<Row extends string, Column extends string>(table: Record<Row, Record<Column, Outcome>>) {
  return Object.entries<Record<Column, Outcome>>(table).flatMap(([row, columns]) =>
    Object.entries<Outcome>(columns).map(([column, outcome]) => [row as Row, column as Column, outcome] as const),
  );
}

function check(run: ARun, input: RunInput, outcome: Outcome): void {
  const before = run.run;
  if (outcome.startsWith('!')) {
    expect(run.tryTo(input)).toBe(outcome.slice(1));
    expect(run.run).toBe(before);
    return;
  }
  const events = run.tell(input).map(({ type }) => type);
  expect(events.join(' ')).toBe(outcome);
  if (outcome === '') expect(run.run).toBe(before);
}

test.each(rowsOf(TASK_TABLE))('a task that is %s answers to %s as the table says', (moment, input, outcome) => {
  const run = MOMENTS[moment]();
  check(run, TASK_INPUTS[input](run), outcome);
});

test.each(rowsOf(RUN_TABLE))('a run that is %s answers to %s as the table says', (state, type, outcome) => {
  const run = STATES[state]();
  expect(run.run.state).toBe(state);
  check(run, { type, runId }, outcome);
});
