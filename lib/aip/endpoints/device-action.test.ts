import { expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { type Cancellation, createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { runWithinLimit } from './device-action';

const ACTION = { tool_name: 'work', tool_type: 'action' as const, call_id: 'c-1' };
const LATE = { status: 'failure', error: 'work timed out after 5 s', call_id: 'c-1' };

function run(tool: (cancellation: Cancellation) => Promise<CommandResult>, limitMs = 5_000) {
  const clock = createFakeClock();
  const life = createCancellation();
  let outcome: unknown;
  let seen: Cancellation = neverCancelled;
  runWithinLimit(clock, {
    action: ACTION,
    limitMs,
    limitSeconds: 5,
    cancellation: life.cancellation,
    run: (cancellation) => {
      seen = cancellation;
      return tool(cancellation);
    },
  }).then(
    (result) => {
      outcome = result;
    },
    (cause) => {
      outcome = cause;
    },
  );
  return { clock, cancel: life.cancel, outcome: () => outcome, isCancelled: () => seen.isCancelled };
}

test('a tool that is done in time gives its own result, and no timer stays behind', async () => {
  const work = run(async () => ({ status: 'success', result: 1 }));
  await settle();
  expect(work.outcome()).toEqual({ status: 'success', result: 1 });
  await work.clock.advance(10_000);
  expect(work.isCancelled()).toBe(false);
});

test('a tool that ignores its limit and its cancellation is answered for within a second', async () => {
  const work = run(() => new Promise(() => {}));
  await work.clock.advance(5_999);
  expect(work.outcome()).toBeUndefined();
  expect(work.isCancelled()).toBe(true);
  await work.clock.advance(1);
  expect(work.outcome()).toEqual(LATE);
});

test('a tool that ends at its own limit says more than we could', async () => {
  const own = { status: 'failure' as const, error: 'work timed out after 5 s and was stopped: half done' };
  const work = run(
    () =>
      new Promise((resolve) => {
        tell = () => resolve(own);
      }),
  );
  await work.clock.advance(5_000);
  tell();
  await settle();
  expect(work.outcome()).toEqual(own);
});

test('one that ends because it was cancelled at its limit has timed out, whatever it says', async () => {
  const cancelled = (cancellation: Cancellation): Promise<CommandResult> =>
    new Promise((resolve) => cancellation.onCancelled(() => resolve({ status: 'failure', error: 'was cancelled' })));
  const throwing = (cancellation: Cancellation): Promise<CommandResult> =>
    new Promise((_resolve, reject) => cancellation.onCancelled(() => reject(new Error('aborted'))));
  for (const tool of [cancelled, throwing]) {
    const work = run(tool);
    await work.clock.advance(5_300);
    expect(work.outcome()).toEqual(LATE);
  }
});

test('a tool that is not wanted any more is cancelled and not waited for', async () => {
  const work = run(() => new Promise(() => {}));
  await settle();
  work.cancel();
  await settle();
  expect(work.isCancelled()).toBe(true);
  expect(work.outcome()).toMatchObject({ status: 'failure' });
});

test('when no time is left, nothing is begun', async () => {
  let hasRun = false;
  const work = run(async () => {
    hasRun = true;
    return { status: 'success' };
  }, 0);
  await settle();
  expect(hasRun).toBe(false);
  expect(work.outcome()).toEqual(LATE);
});

test('what a tool throws before it promises anything is a rejection like any other', async () => {
  const work = run(() => {
    throw new Error('at once');
  });
  await settle();
  expect(work.outcome()).toEqual(new Error('at once'));
});

let tell: () => void = () => {};
