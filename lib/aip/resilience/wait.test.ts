import { describe, expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import { wait, withinTime } from './wait';

describe('waiting', () => {
  test('a promise that is late counts for nothing, not even its failure', async () => {
    const clock = createFakeClock();
    let reject = (_cause: Error) => {};
    const late = withinTime(
      clock,
      100,
      new Promise((_resolve, fail) => {
        reject = fail;
      }),
    );
    await clock.advance(100);

    reject(new Error('too late'));

    expect(await late).toEqual({ inTime: false });
  });

  test('a promise that is in time gives its value or its failure', async () => {
    const clock = createFakeClock();

    expect(await withinTime(clock, 100, Promise.resolve(7))).toEqual({ inTime: true, value: 7 });
    await expect(withinTime(clock, 100, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('a wait that is cancelled before it begins is none', async () => {
    const { cancellation, cancel } = createCancellation();
    cancel();

    await wait(createFakeClock(), 1_000_000, cancellation);
  });
});
