import { expect, test } from 'vitest';
import { createCancellation } from './cancellation';

test('everyone who listens is told once, latecomers at once', () => {
  const { cancellation, cancel } = createCancellation();
  const told: string[] = [];
  cancellation.onCancelled(() => told.push('early'));
  const forget = cancellation.onCancelled(() => told.push('taken back'));

  forget();
  cancel();
  cancel();
  cancellation.onCancelled(() => told.push('late'));

  expect(told).toEqual(['early', 'late']);
  expect(cancellation.isCancelled).toBe(true);
});
