import type { Random } from '@/lib/std/random';

/** Ids that count up, and one fraction for ever. */
export function createFakeRandom(fraction = 0.5): Random {
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  return {
    uuid: () => `00000000-0000-4000-8000-${String(next()).padStart(12, '0')}`,
    hex: (bytes) => String(next()).padStart(bytes * 2, '0'),
    fraction: () => fraction,
  };
}
