import type { ImportContext } from '@/lib/constellation/import-context';

/** 2025-11-06T09:00:00Z; ids count up from `00000001`. */
export function anImportContext(): ImportContext {
  let count = 0;
  return {
    nowMs: Date.UTC(2025, 10, 6, 9),
    newHex: () => {
      count += 1;
      return count.toString(16).padStart(8, '0');
    },
  };
}
