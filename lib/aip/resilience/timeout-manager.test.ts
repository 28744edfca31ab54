import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createTimeoutManager, OperationTimeoutError } from './timeout-manager';

const never = () => new Promise<never>(() => {});

function aManager(defaultMs?: number) {
  const clock = createFakeClock();
  return { clock, timeouts: createTimeoutManager({ clock, ...(defaultMs !== undefined && { defaultMs }) }) };
}

test('work in time gives its value, whether it is under way or begun here', async () => {
  const { timeouts } = aManager();

  expect(await timeouts.withTimeout('a sum', Promise.resolve(7))).toBe(7);
  expect(await timeouts.withTimeout('a sum', async () => 8)).toBe(8);
  expect(await timeouts.withTimeoutOrNone('a sum', async () => 9)).toBe(9);
});

test('late work ends with an error that names the operation and its time', async () => {
  const { clock, timeouts } = aManager();
  const late = timeouts.withTimeout('sending TASK', never, 5_000).catch((cause: unknown) => cause);

  await clock.advance(5_000);

  const error = await late;
  expect(error).toBeInstanceOf(OperationTimeoutError);
  expect(error).toMatchObject({ code: 'operation-timeout', operation: 'sending TASK', timeoutMs: 5_000 });
  expect(String(error)).toMatch(/sending TASK .* 5000 ms/);
});

test('where no answer is an answer, late work gives undefined', async () => {
  const { clock, timeouts } = aManager();
  const late = timeouts.withTimeoutOrNone('asking', never, 10_000);

  await clock.advance(10_000);

  expect(await late).toBeUndefined();
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['0', 0],
])('%s as a time means the default', async (_name, timeoutMs) => {
  const { clock, timeouts } = aManager(400);
  const late = timeouts.withTimeout('waiting', never, timeoutMs).catch((cause: unknown) => cause);

  await clock.advance(400);

  expect(await late).toMatchObject({ timeoutMs: 400 });
});

test('a manager that is told no time allows 120 s', async () => {
  const { clock, timeouts } = aManager();
  const late = timeouts.withTimeoutOrNone('waiting', never);
  let isOver = false;
  void late.then(() => {
    isOver = true;
  });

  await clock.advance(119_999);
  expect(isOver).toBe(false);
  await clock.advance(1);

  expect(await late).toBeUndefined();
});

describe('what the work throws', () => {
  test('is thrown as it is', async () => {
    const { timeouts } = aManager();
    const failed = new Error('refused');

    await expect(timeouts.withTimeout('a call', Promise.reject(failed))).rejects.toBe(failed);
    await expect(timeouts.withTimeoutOrNone('a call', () => Promise.reject(failed))).rejects.toBe(failed);
  });

  test('before it has begun to wait is a rejection, too', async () => {
    const { timeouts } = aManager();
    const failed = new Error('refused');
    const work = (): Promise<number> => {
      throw failed;
    };

    await expect(timeouts.withTimeout('a call', work)).rejects.toBe(failed);
  });

  test('as a time-out of its own is no time-out of ours', async () => {
    const { timeouts } = aManager();
    const inner = new OperationTimeoutError('something within', 3);

    await expect(timeouts.withTimeoutOrNone('a call', Promise.reject(inner))).rejects.toBe(inner);
  });

  test('too late is ignored, and never an unhandled rejection', async () => {
    const { clock, timeouts } = aManager();
    let reject = (_cause: Error) => {};
    const work = new Promise<number>((_resolve, fail) => {
      reject = fail;
    });
    const late = timeouts.withTimeoutOrNone('a call', work, 100);
    await clock.advance(100);

    reject(new Error('too late'));
    await clock.advance(0);

    expect(await late).toBeUndefined();
  });
});

describe('a time that is none', () => {
  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    'such as %s is refused and the work not begun',
    async (timeoutMs) => {
      const { timeouts } = aManager();
      let hasBegun = false;
      const work = async () => {
        hasBegun = true;
      };

      await expect(timeouts.withTimeout('a call', work, timeoutMs)).rejects.toThrow(RangeError);
      await expect(timeouts.withTimeoutOrNone('a call', Promise.reject(new Error('x')), timeoutMs)).rejects.toThrow(
        RangeError,
      );
      expect(hasBegun).toBe(false);
    },
  );

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('such as %s is refused as the default', (defaultMs) => {
    expect(() => aManager(defaultMs)).toThrow(RangeError);
  });
});

test('an outcome in time leaves no timer behind', async () => {
  const clock = createFakeClock();
  let timers = 0;
  const counting = {
    ...clock,
    after(delayMs: number, run: () => void) {
      timers += 1;
      const stop = clock.after(delayMs, run);
      return () => {
        timers -= 1;
        stop();
      };
    },
  };
  const timeouts = createTimeoutManager({ clock: counting });

  await timeouts.withTimeout('a call', async () => 1);
  await timeouts.withTimeout('a call', Promise.reject(new Error('refused'))).catch(() => {});

  expect(timers).toBe(0);
});
