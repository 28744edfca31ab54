import { expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { afterReading } from './patient-timer';

function aTimer() {
  const fake = createFakeClock();
  const state = { heldUpMs: 0, runs: 0 };
  const clock = { ...fake, now: () => fake.now() + state.heldUpMs };
  const stop = afterReading(clock, 10_000, () => {
    state.runs += 1;
  });
  return { fake, state, stop };
}

test('a timer in time runs at once', async () => {
  const { fake, state } = aTimer();

  await fake.advance(10_000);

  expect(state.runs).toBe(1);
});

test('a timer that was held up leaves a moment to read, in which it can still be stopped', async () => {
  for (const end of ['stopped', 'not stopped'] as const) {
    const { fake, state, stop } = aTimer();
    state.heldUpMs = 60_000;
    await fake.advance(10_000);
    expect(state.runs).toBe(0);
    if (end === 'stopped') stop();

    await fake.advance(5_000);

    expect(state.runs).toBe(end === 'stopped' ? 0 : 1);
  }
});
