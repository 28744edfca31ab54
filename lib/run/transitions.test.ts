import { expect, test } from 'vitest';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import type { RefusalCode, RunReport } from './commands';
import type { RunInput } from './decide';
import type { RunEventType } from './events';
import { A_RUN_ID, type ARun, aRun, taskId } from './testing/a-run';

/** Every moment in the life of a task `a` of a launched run. */
const SITUATIONS = {
  ready: () => launched(),
  waiting: () => aRun(aPlan(['z', 'a'], [['z', 'a', 'success_only']])).launch(),
  queued: () => launched().dispatch('a'),
  sending: () => sending(launched()),
  accepted: () => launched().dispatch('a').sent('a'),
  cancelling: () => cancelled(launched().dispatch('a').sent('a')),
  completed: () => launched().runs('a'),
  failed: () => launched().runs('a', { outcome: 'failed' }),
  lost: () => launched().dispatch('a').sent('a').loses('a'),
  cancelled: () => cancelled(launched()),
} satisfies Record<string, () => ARun>;
type Situation = keyof typeof SITUATIONS;

function launched(): ARun {
  return aRun(aPlan(['a', 'other'])).launch();
}

function sending(run: ARun): ARun {
  run.dispatch('a').tell(run.report('attempt-sending', 'a'));
  return run;
}

function cancelled(run: ARun): ARun {
  run.tell({ type: 'task-cancel', runId: A_RUN_ID, taskId: taskId('a') });
  return run;
}

const runId = A_RUN_ID;
const a = taskId('a');
const ended = (run: ARun, outcome: 'completed' | 'failed' | 'cancelled'): RunReport =>
  run.ended('a', { outcome, attempt: 1 });

const INPUTS = {
  place: (run: ARun) => ({ type: 'task-place', runId, taskId: a, deviceId: null, baseRevision: run.run.revision }),
  dispatch: () => ({ type: 'task-dispatch', runId, taskId: a }),
  cancel: () => ({ type: 'task-cancel', runId, taskId: a }),
  retry: () => ({ type: 'task-retry', runId, taskId: a }),
  sending: () => ({ type: 'attempt-sending', runId, taskId: a, attempt: 1 }),
  accepted: () => ({ type: 'attempt-accepted', runId, taskId: a, attempt: 1 }),
  completed: (run: ARun) => ended(run, 'completed'),
  failed: (run: ARun) => ended(run, 'failed'),
  stopped: (run: ARun) => ended(run, 'cancelled'),
  lost: () => ({ type: 'attempt-lost', runId, taskId: a, attempt: 1, reason: 'link closed' }),
} satisfies Record<string, (run: ARun) => RunInput>;
type Input = keyof typeof INPUTS;

/** Events without their common ending; `''` is allowed and changes nothing; an exclamation mark is a refusal. */
type Outcome =
  | ''
  | `!${RefusalCode}`
  | RunEventType
  | `${RunEventType} ${RunEventType}`
  | `${RunEventType} ${RunEventType} ${RunEventType}`;

const STALE = '!stale-attempt';
/** What a link may say of an attempt that was never made. */
const NO_ATTEMPT = {
  sending: STALE,
  accepted: STALE,
  completed: STALE,
  failed: STALE,
  stopped: STALE,
  lost: STALE,
} as const;
const COMPLETES = 'attempt-ended task-completed';
const FAILS = 'attempt-ended task-failed';
const STOPS = 'attempt-ended task-cancelled';
const STRAYS = 'attempt-strayed attempt-ended task-cancelled';

const TABLE: Record<Situation, Record<Input, Outcome>> = {
  ready: {
    place: '!device-missing',
    dispatch: 'task-dispatched',
    cancel: 'task-cancelled',
    retry: '!task-not-failed',
    ...NO_ATTEMPT,
  },
  waiting: {
    place: '!device-missing',
    dispatch: '!task-not-ready',
    cancel: 'task-cancelled',
    retry: '!task-not-failed',
    ...NO_ATTEMPT,
  },
  queued: {
    place: '!already-dispatched',
    dispatch: '!already-dispatched',
    cancel: STOPS,
    retry: '!task-not-failed',
    sending: 'attempt-sending',
    accepted: '',
    completed: COMPLETES,
    failed: FAILS,
    stopped: STOPS,
    lost: '',
  },
  sending: {
    place: '!task-running',
    dispatch: '!already-dispatched',
    cancel: 'attempt-cancelling',
    retry: '!task-not-failed',
    sending: STALE,
    accepted: 'attempt-accepted',
    completed: COMPLETES,
    failed: FAILS,
    stopped: STOPS,
    lost: 'attempt-lost task-failed',
  },
  accepted: {
    place: '!task-running',
    dispatch: '!already-dispatched',
    cancel: 'attempt-cancelling',
    retry: '!task-not-failed',
    sending: STALE,
    accepted: '',
    completed: COMPLETES,
    failed: FAILS,
    stopped: STOPS,
    lost: 'attempt-lost task-failed',
  },
  cancelling: {
    place: '!task-running',
    dispatch: '!already-dispatched',
    cancel: '',
    retry: '!task-not-failed',
    sending: STALE,
    accepted: '',
    completed: STRAYS,
    failed: STRAYS,
    stopped: STOPS,
    lost: 'attempt-lost task-cancelled',
  },
  completed: {
    place: '!task-ended',
    dispatch: '!task-ended',
    cancel: '!task-ended',
    retry: '!task-not-failed',
    sending: STALE,
    accepted: '',
    completed: '',
    failed: 'attempt-strayed',
    stopped: '',
    lost: '',
  },
  failed: {
    place: '!task-ended',
    dispatch: '!task-ended',
    cancel: '!task-ended',
    retry: 'task-reset',
    sending: STALE,
    accepted: '',
    completed: 'attempt-strayed',
    failed: '',
    stopped: '',
    lost: '',
  },
  lost: {
    place: '!task-ended',
    dispatch: '!task-ended',
    cancel: '!task-ended',
    retry: 'task-reset',
    sending: STALE,
    accepted: '',
    completed: 'attempt-strayed',
    failed: 'attempt-strayed',
    stopped: '',
    lost: '',
  },
  cancelled: {
    place: '!task-ended',
    dispatch: '!task-ended',
    cancel: '!task-ended',
    retry: 'task-reset',
    ...NO_ATTEMPT,
  },
};

const rows = Object.entries(TABLE).flatMap(([situation, row]) =>
  Object.entries(row).map(([input, outcome]) => [situation as Situation, input as Input, outcome] as const),
);

test.each(rows)('a task that is %s answers to %s as the table says', (situation, input, outcome) => {
  const run = SITUATIONS[situation]();
  const before = run.run;
  const message: RunInput = INPUTS[input](run) as RunInput;
  if (outcome.startsWith('!')) {
    expect(run.tryTo(message)).toBe(outcome.slice(1));
    expect(run.run).toBe(before);
    return;
  }
  expect(
    run
      .tell(message)
      .map(({ type }) => type)
      .join(' '),
  ).toBe(outcome);
  if (outcome === '') expect(run.run).toBe(before);
});
