import type Database from 'libsql';
import { type Cursor, type Position, type StreamName, streamNameSchema } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Batch, Engine, KvWrite, StoredEvent } from './engine';
import { EngineError } from './engine-error';
import { codeOf, openDatabase } from './open-database';
import { fromStoredText, toStoredText } from './stored-json';

export type SqliteEngineOptions = {
  /** The data folder; made with mode 0700 when it is missing. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Pages of 4 KiB after which the disk counts as full. */
  readonly pagesMax?: number;
};

type StreamRow = { readonly id: number; readonly epoch: string; readonly head: number };
type Row = ReadonlyMap<string, unknown>;

/** Expired entries read as absent at once; they are swept out of the file once per so many writes. */
const SWEEP_EVERY_WRITES = 1_000;

/**
 * The journal in one SQLite file: write-ahead log, flushed to disk before `append` returns.
 *
 * @throws EngineError when the folder cannot be used
 */
export function openSqliteEngine({ folder, clock, random, pagesMax }: SqliteEngineOptions): Engine {
  const { database, close } = openDatabase(folder);
  if (pagesMax !== undefined) database.pragma(`max_page_count = ${pagesMax}`);
  const statements = prepareStatements(database);
  const known = new Map<StreamName, StreamRow>();
  let writesUntilSweep = 0;
  let isClosed = false;

  for (const row of rows(statements.listStreams)) {
    known.set(streamNameSchema.parse(row.get('name')), toStreamRow(row));
  }

  /** Runs a step against the file. @throws EngineError, and then nothing of the step is stored */
  function guarded<Value>(step: () => Value): Value {
    if (isClosed) throw new EngineError('closed', 'Expected an open journal, but it has been closed');
    try {
      return step();
    } catch (cause) {
      throw toEngineError(cause, folder);
    }
  }

  function transaction<Value>(step: () => Value): Value {
    return guarded(() => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const value = step();
        database.exec('COMMIT');
        return value;
      } catch (cause) {
        // A full disk may have ended the transaction already.
        if (database.inTransaction) database.exec('ROLLBACK');
        throw cause;
      }
    });
  }

  function addStream(stream: StreamName): StreamRow {
    const epoch = random.hex(8);
    const id = Number(statements.addStream.run(stream, epoch).lastInsertRowid);
    return { id, epoch, head: 0 };
  }

  function append(batch: Batch): readonly Position[] {
    const changed = new Map<StreamName, StreamRow>();
    const positions = transaction(() => {
      const given: Position[] = [];
      for (const { stream, event } of batch.events) {
        const row = changed.get(stream) ?? known.get(stream) ?? addStream(stream);
        const number = row.head + 1;
        statements.addEvent.run(row.id, number, toStoredText(event));
        changed.set(stream, { ...row, head: number });
        given.push({ stream, epoch: row.epoch, number });
      }
      for (const row of changed.values()) statements.moveHead.run(row.head, row.id);
      writeKv(batch.kv);
      return given;
    });
    for (const [stream, row] of changed) known.set(stream, row);
    return positions;
  }

  function writeKv(writes: readonly KvWrite[]): void {
    for (const write of writes) {
      if (write.op === 'put') statements.putKv.run(write.space, write.key, write.value, write.expiresAtMs);
      else statements.deleteKv.run(write.space, write.key);
    }
    writesUntilSweep -= writes.length;
    if (writes.length === 0 || writesUntilSweep > 0) return;
    statements.sweepKv.run(clock.now());
    writesUntilSweep = SWEEP_EVERY_WRITES;
  }

  function head(stream: StreamName): Cursor {
    const row = known.get(stream) ?? transaction(() => addStream(stream));
    known.set(stream, row);
    return { epoch: row.epoch, number: row.head };
  }

  function readAfter(stream: StreamName, number: number, limit: number): readonly StoredEvent[] {
    const row = known.get(stream);
    if (row === undefined) return [];
    return guarded(() => rows(statements.readEvents, row.id, number, limit)).map((event) => ({
      number: toNumber(event.get('number')),
      event: fromStoredText(toText(event.get('body'))),
    }));
  }

  return {
    append,
    head,
    readAfter,
    saveSnapshot(stream, number, text) {
      const { id } = known.get(stream) ?? { id: undefined };
      if (id === undefined) throw new EngineError('io', `Expected a known stream to snapshot, got "${stream}"`);
      guarded(() => statements.saveSnapshot.run(id, number, text));
    },
    loadSnapshot(stream) {
      const stored = known.get(stream);
      if (stored === undefined) return undefined;
      const row = guarded(() => rows(statements.loadSnapshot, stored.id)).at(0);
      return row && { number: toNumber(row.get('number')), text: toText(row.get('body')) };
    },
    kv: {
      get: (space, key) => {
        const row = guarded(() => rows(statements.getKv, space, key, clock.now())).at(0);
        return row && toText(row.get('value'));
      },
      write: (writes) => transaction(() => writeKv(writes)),
      take(space, key) {
        const row = transaction(() => rows(statements.takeKv, space, key).at(0));
        if (row === undefined) return undefined;
        const expiresAtMs = row.get('expires_at_ms');
        return typeof expiresAtMs === 'number' && expiresAtMs <= clock.now() ? undefined : toText(row.get('value'));
      },
    },
    blobs: {
      put(bytes, mediaType) {
        const handle = random.hex(16);
        guarded(() => statements.putBlob.run(handle, mediaType, Buffer.from(bytes)));
        return { handle, sizeBytes: bytes.byteLength };
      },
      get(handle) {
        const row = guarded(() => statements.getBlob.get(handle));
        if (row === undefined) return undefined;
        const stored = toRow(row);
        return { bytes: toBytes(stored.get('body')), mediaType: toText(stored.get('media_type')) };
      },
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      close();
    },
  };
}

type Value = string | number | null | Buffer;
type Statement = ReturnType<typeof prepared>;

/** Never bind a lone null or buffer: libsql takes a single object for named parameters and ends the process. */
function prepared(database: Database.Database, sql: string) {
  return database.prepare<Value[]>(sql);
}

function prepareStatements(database: Database.Database) {
  const prepare = (sql: string) => prepared(database, sql);
  return {
    listStreams: prepare('SELECT id, name, epoch, head FROM streams ORDER BY id'),
    addStream: prepare('INSERT INTO streams (name, epoch, head) VALUES (?, ?, 0)'),
    moveHead: prepare('UPDATE streams SET head = ? WHERE id = ?'),
    addEvent: prepare('INSERT INTO events (stream_id, number, body) VALUES (?, ?, ?)'),
    readEvents: prepare('SELECT number, body FROM events WHERE stream_id = ? AND number > ? ORDER BY number LIMIT ?'),
    saveSnapshot: prepare('REPLACE INTO snapshots (stream_id, number, body) VALUES (?, ?, ?)'),
    loadSnapshot: prepare('SELECT number, body FROM snapshots WHERE stream_id = ?'),
    getKv: prepare('SELECT value FROM kv WHERE space = ? AND key = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)'),
    putKv: prepare('REPLACE INTO kv (space, key, value, expires_at_ms) VALUES (?, ?, ?, ?)'),
    deleteKv: prepare('DELETE FROM kv WHERE space = ? AND key = ?'),
    takeKv: prepare('DELETE FROM kv WHERE space = ? AND key = ? RETURNING value, expires_at_ms'),
    sweepKv: prepare('DELETE FROM kv WHERE expires_at_ms <= ?'),
    putBlob: prepare('INSERT INTO blobs (handle, media_type, body) VALUES (?, ?, ?)'),
    getBlob: prepare('SELECT media_type, body FROM blobs WHERE handle = ?'),
  };
}

function rows(statement: Statement, ...values: readonly (string | number)[]): readonly Row[] {
  return statement.all(...values).map(toRow);
}

function toRow(row: unknown): Row {
  return new Map(Object.entries(Object(row)));
}

function toStreamRow(row: Row): StreamRow {
  return { id: toNumber(row.get('id')), epoch: toText(row.get('epoch')), head: toNumber(row.get('head')) };
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new EngineError('corrupt', `Expected a number in the journal, got ${typeof value}`);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new EngineError('corrupt', `Expected text in the journal, got ${typeof value}`);
}

/** `get` gives a buffer where `all` gives an ArrayBuffer; not by `instanceof`, since it may come from another realm. */
function toBytes(value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new EngineError('corrupt', `Expected bytes in the journal, got ${typeof value}`);
}

function toEngineError(cause: unknown, folder: string): EngineError {
  if (cause instanceof EngineError) return cause;
  const code = codeOf(cause);
  if (code.startsWith('SQLITE_FULL')) {
    return new EngineError('full', `The disk of the data folder ${folder} is full; make room and start again`, {
      cause,
    });
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return new EngineError('corrupt', `The journal in ${folder} is damaged; put back a copy of it`, { cause });
  }
  return new EngineError('io', `The journal in ${folder} cannot be used (${code}); check the disk and its rights`, {
    cause,
  });
}
