import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { errorCode } from '@/lib/std/error-code';
import { EngineError } from './engine-error';
import { type FolderLock, LOCK_FILE, lockFolder } from './folder-lock';
import { SCHEMA_SQL, SCHEMA_VERSION } from './schema';

/** Marks a file as ours ("orry"), so that another program's database is never written to. */
const APPLICATION_ID = 0x6f727279;
/** Above this size a check of every page would make each start slow. */
const CHECK_BYTES_MAX = 64 * 1024 * 1024;

export const JOURNAL_FILE = 'journal.db';

export type OpenJournal = { readonly database: Database.Database; close(): void };

/**
 * Opens the journal of a data folder for this process alone.
 *
 * @throws EngineError with a sentence for the operator
 */
export function openDatabase(folder: string): OpenJournal {
  const path = join(folder, JOURNAL_FILE);
  makePrivateFiles(folder, [path, join(folder, LOCK_FILE)]);
  let lock: FolderLock | undefined;
  let database: Database.Database | undefined;
  function close(): void {
    database?.close();
    lock?.release();
  }
  function closeWell(): void {
    // libsql keeps the file open until its statements are collected, so the log is moved into the file here.
    database?.pragma('wal_checkpoint(TRUNCATE)');
    close();
  }
  try {
    lock = lockFolder(folder);
    database = new Database(path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('journal_size_limit = 67108864');
    // For a look from outside with a tool of the database; no other relay gets this far.
    database.pragma('busy_timeout = 2000');
    prepare(database, path);
    return { database, close: closeWell };
  } catch (cause) {
    close();
    throw toOpenError(cause, folder, path);
  }
}

/** Results of devices are private: the folder and its files belong to the operator alone. */
function makePrivateFiles(folder: string, paths: readonly string[]): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const path of paths) closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw new EngineError(
      'unwritable',
      `Expected a data folder that can be written, but ${folder} cannot be (${codeOf(cause)}); give this user the right to write there or choose another folder`,
      { cause },
    );
  }
}

function prepare(database: Database.Database, path: string): void {
  const version = numberOf(database, 'user_version');
  const application = numberOf(database, 'application_id');
  const isEmpty = numberOf(database, 'schema_version') === 0;
  if (isEmpty) {
    database.exec(
      `BEGIN IMMEDIATE; ${SCHEMA_SQL}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
    );
    return;
  }
  if (application !== APPLICATION_ID) {
    throw new EngineError(
      'foreign',
      `Expected a journal of Orrery in ${path}, but it is the database of another program; choose another data folder with ORRERY_DATA_DIR`,
    );
  }
  if (version !== SCHEMA_VERSION) {
    throw new EngineError(
      'newer',
      `Expected a journal of version ${SCHEMA_VERSION} in ${path}, but it has version ${version}; start the version of Orrery that wrote it, or choose another data folder with ORRERY_DATA_DIR`,
    );
  }
  if (statSync(path).size > CHECK_BYTES_MAX) return;
  const found = textOf(database, 'quick_check(1)', 'quick_check');
  if (found !== 'ok') throw corrupt(path, new Error(found));
}

function toOpenError(cause: unknown, folder: string, path: string): EngineError {
  if (cause instanceof EngineError) return cause;
  const code = codeOf(cause);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new EngineError(
      'locked',
      `The data folder ${folder} is in use by another relay; stop that one first or choose another data folder with ORRERY_DATA_DIR`,
      { cause },
    );
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return corrupt(path, cause);
  return new EngineError('io', `The journal ${path} cannot be opened (${code}); check the disk and its rights`, {
    cause,
  });
}

function corrupt(path: string, cause: unknown): EngineError {
  return new EngineError(
    'corrupt',
    `Expected a journal in ${path}, but the file is damaged; put back a copy of it or move it away to start with an empty one`,
    { cause },
  );
}

/** The error's own code when it has one: `SQLITE_FULL`, `EACCES`. */
export function codeOf(cause: unknown): string {
  return errorCode(cause) || (cause instanceof Error ? cause.message : String(cause));
}

function pragma(database: Database.Database, source: string, column: string): unknown {
  const row: unknown = database.prepare(`PRAGMA ${source}`).get();
  if (typeof row !== 'object' || row === null) return undefined;
  return new Map<string, unknown>(Object.entries(row)).get(column);
}

function numberOf(database: Database.Database, name: string): number {
  const value = pragma(database, name, name);
  return typeof value === 'number' ? value : 0;
}

function textOf(database: Database.Database, source: string, column: string): string {
  const value = pragma(database, source, column);
  return typeof value === 'string' ? value : 'no answer';
}
