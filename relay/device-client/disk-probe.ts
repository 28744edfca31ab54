import { statfs } from 'node:fs/promises';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { Clock } from '@/lib/std/clock';

export type Disk = { readonly totalBytes: number; readonly freeBytes: number };

export type DiskProbe = {
  /** The disk as it is now; undefined when its file system does not tell, or takes too long. */
  read(): Promise<Disk | undefined>;
};

export type DiskProbeOptions = {
  /** The disk of this folder is meant. */
  readonly folder: string;
  readonly clock: Clock;
  /** Asks the system about a folder. */
  readonly ask?: (
    folder: string,
  ) => Promise<{ readonly blocks: number; readonly bavail: number; readonly bsize: number }>;
};

/** A disk of the network may hang for minutes. */
const DISK_MS = 2_000;

export function createDiskProbe({ folder, clock, ask = statfs }: DiskProbeOptions): DiskProbe {
  let asked: ReturnType<typeof ask> | undefined;

  function askOnce(): ReturnType<typeof ask> {
    // Each question that hangs holds one of the few threads that serve all files, so there is one at a time.
    asked ??= ask(folder).finally(() => {
      asked = undefined;
    });
    return asked;
  }

  return {
    async read() {
      try {
        const answered = await withinTime(clock, DISK_MS, askOnce());
        if (!answered.inTime || answered.value.blocks <= 0) return undefined;
        const { blocks, bavail, bsize } = answered.value;
        return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
      } catch {
        // Some file systems do not tell; the rest of the information is worth sending.
        return undefined;
      }
    },
  };
}
