import { expect, test } from 'vitest';
import { formatBytes } from './format-bytes';

test('sizes are told in the largest unit that leaves a whole number before the point', () => {
  expect(formatBytes(812)).toBe('812 B');
  expect(formatBytes(4_200)).toBe('4.1 KiB');
  expect(formatBytes(16 * 1024 * 1024)).toBe('16.0 MiB');
});
