import { expect, test } from 'vitest';
import { createNodeClock } from './node-clock';
import { createNodeRandom } from './node-random';

test('a delay beyond what a timer holds does not end at once', async () => {
  const clock = createNodeClock();
  let hasRun = false;
  const cancel = clock.after(6_000_000_000, () => {
    hasRun = true;
  });

  await new Promise((resolve) => clock.after(20, () => resolve(undefined)));
  cancel();
  cancel();

  expect(hasRun).toBe(false);
});

test('a repeated timer repeats until it is cancelled', async () => {
  const clock = createNodeClock();
  let count = 0;
  await new Promise<void>((resolve) => {
    const cancel = clock.every(1, () => {
      count += 1;
      if (count < 3) return;
      cancel();
      resolve();
    });
  });

  expect(count).toBe(3);
});

test('ids differ and have the form that they promise', () => {
  const random = createNodeRandom();

  expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(random.hex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(random.hex(16)).not.toBe(random.hex(16));
  for (let index = 0; index < 100; index += 1) {
    const fraction = random.fraction();
    expect(fraction >= 0 && fraction < 1).toBe(true);
  }
});
