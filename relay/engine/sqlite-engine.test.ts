import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, describe, expect, test } from 'vitest';
import { FLEET_STREAM } from '@/lib/relay-protocol/streams';
import { deviceIdSchema } from '@/lib/std/ids';
import type { Engine } from './engine';
import { describeEngine } from './engine.contract';
import { LOCK_FILE } from './folder-lock';
import { JOURNAL_FILE } from './open-database';
import { openSqliteEngine } from './sqlite-engine';
import { seededRandom } from './testing/seeded-random';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'orrery-engine-'));
  undo.push(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'data');
}

function open(path: string, extra: { nowMs?: () => number; pagesMax?: number } = {}): Engine {
  const { nowMs = () => 0, ...rest } = extra;
  const engine = openSqliteEngine({ folder: path, clock: { now: nowMs }, random: seededRandom(7), ...rest });
  undo.push(() => engine.close());
  return engine;
}

describe('sqlite engine', () => {
  describeEngine({
    make() {
      let nowMs = 0;
      const path = folder();
      const engine = open(path, { nowMs: () => nowMs });
      return {
        engine,
        setNow(next) {
          nowMs = next;
        },
        reopen() {
          engine.close();
          return open(path, { nowMs: () => nowMs });
        },
      };
    },
    makeSmall: () => open(folder(), { pagesMax: 100 }),
  });

  test('the data folder and everything in it belong to this user alone', () => {
    const path = folder();
    open(path).kv.write([{ op: 'put', space: 'space', key: 'a', value: 'one', expiresAtMs: null }]);

    expect(modeOf(path)).toBe('700');
    expect(readdirSync(path).map((name) => modeOf(join(path, name)))).toEqual(readdirSync(path).map(() => '600'));
  });

  test('a second process on the same data folder is refused with a clear sentence', () => {
    const path = folder();
    open(path);

    const script = `const D = require('libsql'); try { new D(process.argv[1]).exec('BEGIN EXCLUSIVE'); console.log('in') } catch (e) { console.log(e.code) }`;
    const other = spawnSync(process.execPath, ['-e', script, join(path, LOCK_FILE)], { encoding: 'utf8' });

    expect(other.stdout.trim()).toBe('SQLITE_BUSY');
    expect(() => open(path)).toThrow(/is in use by another relay; stop that one first/);
  });

  test('what was appended survives a process that dies without closing', () => {
    const path = folder();
    const engine = open(path);
    const head = engine.append({
      events: [
        { stream: FLEET_STREAM, event: { type: 'device-info-failed', atMs: 1, deviceId: deviceId(), reason: 'r' } },
      ],
      kv: [{ op: 'put', space: 'space', key: 'a', value: 'one', expiresAtMs: null }],
    });

    const copy = folder();
    cpSync(path, copy, { recursive: true });
    const survivor = open(copy);

    expect(survivor.head(FLEET_STREAM)).toEqual({ epoch: head[0]?.epoch, number: 1 });
    expect(survivor.kv.get('space', 'a')).toBe('one');
  });

  test('a damaged file is refused and left as it is', () => {
    const path = folder();
    open(path).close();
    const file = join(path, JOURNAL_FILE);
    writeFileSync(file, 'this is no database '.repeat(500));

    expect(() => open(path)).toThrow(/the file is damaged; put back a copy/);
    expect(statSync(file).size).toBe(10_000);
  });

  test('a file of a newer version is refused by name of both versions', () => {
    const path = folder();
    open(path).close();
    edit(path, 'PRAGMA user_version = 9');

    expect(() => open(path)).toThrow(/Expected a journal of version 1 .* it has version 9/);
  });

  test('a database of another program is never written to', () => {
    const path = folder();
    open(path).close();
    edit(path, 'PRAGMA application_id = 1');

    expect(() => open(path)).toThrow(/is the database of another program/);
  });

  test('a data folder that cannot be made is named with its reason', () => {
    const path = folder();
    writeFileSync(path, 'a file stands here');

    expect(() => open(path)).toThrow(/Expected a data folder that can be written, but .* \((EEXIST|ENOTDIR)\)/);
  });

  test('expired entries leave the file', () => {
    let nowMs = 0;
    const engine = open(folder(), { nowMs: () => nowMs });
    engine.kv.write([{ op: 'put', space: 'space', key: 'a', value: 'one', expiresAtMs: 10 }]);
    nowMs = 100;
    for (let index = 0; index < 1_001; index += 1) {
      engine.kv.write([{ op: 'put', space: 'other', key: 'b', value: 'two', expiresAtMs: null }]);
    }
    nowMs = 0;

    expect(engine.kv.get('space', 'a')).toBeUndefined();
  });
});

function deviceId() {
  return deviceIdSchema.parse('linux-1');
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function edit(path: string, sql: string): void {
  const database = new Database(join(path, JOURNAL_FILE));
  database.exec(sql);
  database.close();
}
