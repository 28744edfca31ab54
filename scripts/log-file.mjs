import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const SIZE_BYTES_MAX = 5 * 1024 * 1024;

/**
 * A log file that keeps at most two files of 5 MiB: the current one and the one before (`.1`).
 *
 * @param {string} path
 * @param {{onFailure: (error: unknown) => void, sizeBytesMax?: number}} options - `onFailure` hears the first failed write only:
 *   a full disk must neither stop the programs nor flood the screen
 */
export function createLogFile(path, { onFailure, sizeBytesMax = SIZE_BYTES_MAX }) {
  /** @type {number | undefined} */
  let sizeBytes;
  let hasFailed = false;
  return {
    path,
    /** @param {string | Buffer} chunk */
    write(chunk) {
      try {
        sizeBytes ??= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (sizeBytes === 0) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        if (sizeBytes > 0 && sizeBytes + chunk.length > sizeBytesMax) {
          renameSync(path, `${path}.1`);
          sizeBytes = 0;
        }
        appendFileSync(path, chunk, { mode: 0o600 });
        sizeBytes += chunk.length;
      } catch (error) {
        if (!hasFailed) onFailure(error);
        hasFailed = true;
      }
    },
  };
}
