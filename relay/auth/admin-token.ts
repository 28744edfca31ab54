import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@/lib/std/error-code';
import type { Random } from '@/lib/std/random';

export type AdminToken = { readonly token: string; readonly file: string | undefined };

/**
 * The admin token for the API: the one that was set, or the one kept in the data folder, which is made at the first start.
 *
 * @returns `file` is where a person finds it; a token that was set is in no file
 * @throws the file system's error when the folder cannot be read or written
 */
export function loadAdminToken(dataDir: string, given: string | undefined, random: Random): AdminToken {
  if (given !== undefined) return { token: given, file: undefined };
  const file = join(dataDir, 'token');
  const kept = readKept(file);
  if (kept !== undefined) {
    chmodSync(file, 0o600);
    return { token: kept, file };
  }
  const token = `orrery_${random.hex(32)}`;
  writePrivately(file, `${token}\n`);
  return { token, file };
}

/** An empty or torn file counts as none, so that a start after a full disk heals itself. */
function readKept(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined;
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function writePrivately(file: string, text: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(file, 0o600);
}
