import { join } from 'node:path';
import Database from 'libsql';

export const LOCK_FILE = 'relay.lock';

export type FolderLock = { release(): void };

/**
 * Keeps a data folder for one process. An open exclusive transaction on an empty database is a file lock of the system: it
 * goes with the process, however it ends, and leaves nothing stale behind.
 *
 * @throws the database's `SQLITE_BUSY` when another process holds it
 */
export function lockFolder(folder: string): FolderLock {
  const database = new Database(join(folder, LOCK_FILE));
  database.exec('BEGIN EXCLUSIVE');
  return {
    release() {
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
    },
  };
}
