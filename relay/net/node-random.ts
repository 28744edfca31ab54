import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '@/lib/std/random';

export function createNodeRandom(): Random {
  return {
    uuid: () => randomUUID(),
    hex: (bytes) => randomBytes(bytes).toString('hex'),
    fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  };
}
