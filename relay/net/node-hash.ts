import { createHash } from 'node:crypto';
import type { CreateHasher } from '@/lib/aip/protocol/files/file-ports';

export const createNodeHasher: CreateHasher = (algorithm) => {
  const hash = createHash(algorithm);
  return {
    update(bytes) {
      hash.update(bytes);
    },
    digestHex: () => hash.digest('hex'),
  };
};
