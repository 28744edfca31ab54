import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { link, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNodeClock } from './node-clock';
import { createNodeFileStore } from './node-file-store';

const clock = createNodeClock();
const KEY = 'a'.repeat(64);
const OTHER_KEY = 'b'.repeat(64);
const FIVE = { key: KEY, filename: 'five.txt', sizeBytes: 5 };

let outside = '';
let folder = '';

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'orrery-files-'));
  folder = join(outside, 'received');
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const aStore = (limits = {}) => createNodeFileStore(folder, { clock, limits });
const bytes = (text: string) => Buffer.from(text, 'utf8');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const visible = () => readdirSync(folder).filter((name) => name !== '.partial');
const kept = () => readdirSync(join(folder, '.partial')).sort();

describe('a file', () => {
  test('appears under its name when it is whole, for this user only', async () => {
    const partial = await aStore().open(FIVE);
    await partial.append(bytes('hel'));
    expect(visible()).toEqual([]);
    await partial.append(bytes('lo'));

    expect(await partial.commit()).toBe(join(folder, 'five.txt'));
    expect(textOf('five.txt')).toBe('hello');
    expect(statSync(join(folder, 'five.txt')).mode & 0o777).toBe(0o600);
    expect(kept()).toEqual([]);
  });

  test('never takes the place of another, nor of what a link points to', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'five.txt'), 'earlier');
    writeFileSync(join(outside, 'target'), 'not ours');
    symlinkSync(join(outside, 'target'), join(folder, 'five (1).txt'));
    const partial = await aStore().open(FIVE);
    await partial.append(bytes('hello'));

    expect(await partial.commit()).toBe(join(folder, 'five (2).txt'));
    expect([textOf('five.txt'), textOf('five (2).txt')]).toEqual(['earlier', 'hello']);
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('not ours');
  });

  test('that is not whole is not shown, and nothing of it is left when it is given up', async () => {
    const partial = await aStore().open(FIVE);
    await partial.append(bytes('hel'));
    await expect(partial.commit()).rejects.toThrow('Expected a file of 5 bytes to be whole, it has 3');
    await Promise.all([partial.discard(), partial.discard()]);
    await partial.discard();
    expect([visible(), kept()]).toEqual([[], []]);
  });

  test('is gone on with after a cut, also by another process', async () => {
    const first = await aStore().open(FIVE);
    await first.append(bytes('help'));
    await Promise.all([first.keep(), first.keep()]);
    await expect(first.append(bytes('!'))).rejects.toThrow(/closed/);

    const second = await aStore().open(FIVE);
    expect(second.keptBytes).toBe(4);
    await second.truncate(3);
    expect(Buffer.from(await second.read(1, 2)).toString()).toBe('el');
    await second.append(bytes('lo'));
    await second.commit();
    expect(textOf('five.txt')).toBe('hello');
  });

  test('belongs to whoever opened it last', async () => {
    const store = aStore();
    const first = await store.open(FIVE);
    const writing = first.append(bytes('hel'));
    const second = await store.open(FIVE);
    await writing;
    expect(second.keptBytes).toBe(3);

    await expect(first.append(bytes('lo'))).rejects.toThrow(/Somebody else/);
    await expect(first.commit()).rejects.toThrow(/Somebody else/);
    await first.discard();
    await first.keep();
    await second.append(bytes('lo'));
    await second.commit();
    expect(textOf('five.txt')).toBe('hello');
  });

  test('that is given up and begun again at once is a new one', async () => {
    const store = aStore();
    const first = await store.open(FIVE);
    await first.append(bytes('old'));
    const [, second] = await Promise.all([first.discard(), store.open(FIVE)]);
    await second.append(bytes('hello'.slice(second.keptBytes)));
    await second.commit();
    expect(visible()).toEqual(['five.txt']);
  });

  test('whose commit was interrupted between its two names is not written to again', async () => {
    const first = await aStore().open(FIVE);
    await first.append(bytes('hello'));
    await first.keep();
    await link(join(folder, '.partial', `${KEY}.part`), join(folder, 'five.txt'));

    const second = await aStore().open(FIVE);
    expect(second.keptBytes).toBe(0);
    await second.append(bytes('HELLO'));
    await second.commit();
    expect([textOf('five.txt'), textOf('five (1).txt')]).toEqual(['hello', 'HELLO']);
  });
});

describe('a store', () => {
  test('follows no link that stands where a part of a file would', async () => {
    mkdirSync(join(folder, '.partial'), { recursive: true });
    writeFileSync(join(outside, 'target'), 'not ours');
    symlinkSync(join(outside, 'target'), join(folder, '.partial', `${KEY}.part`));
    const partial = await aStore().open(FIVE);
    expect(partial.keptBytes).toBe(0);
    await partial.append(bytes('hello'));
    await partial.commit();
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('not ours');
  });

  test('does not take a link for its folder of parts', async () => {
    mkdirSync(folder);
    symlinkSync(outside, join(folder, '.partial'));
    await expect(aStore().open(FIVE)).rejects.toThrow('Expected .partial to be a folder');
    expect(readdirSync(outside)).toEqual(['received']);
  });

  test('takes no key and no name that could lead anywhere else', async () => {
    for (const key of ['', '../x', KEY.slice(1), `${KEY}/`]) {
      await expect(aStore().open({ ...FIVE, key })).rejects.toThrow(RangeError);
    }
    for (const filename of ['', '.', '..', '.partial', '../x', 'a/b']) {
      await expect(aStore().open({ ...FIVE, filename })).rejects.toThrow(RangeError);
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test('forgets what is old, and what is too much; never what is being received', async () => {
    const keyOf = (digit: string) => digit.repeat(64);
    const leave = async (digit: string, ageMs: number) => {
      const partial = await aStore().open({ ...FIVE, key: keyOf(digit) });
      await partial.append(bytes(digit.repeat(4)));
      await partial.keep();
      const at = new Date(clock.now() - ageMs);
      await utimes(join(folder, '.partial', `${keyOf(digit)}.part`), at, at);
    };
    const partsLeft = () => kept().map((name) => name[0]);
    for (const [digit, ageMs] of [
      ['1', 9_000],
      ['2', 3_000],
      ['3', 2_000],
      ['4', 1_000],
    ] as const) {
      await leave(digit, ageMs);
    }
    const store = aStore({ keptMsMax: 5_000 });
    const held = await store.open({ ...FIVE, key: keyOf('f') });
    expect(partsLeft()).toEqual(['2', '3', '4', 'f']);
    await held.keep();

    await (await aStore({ keptFilesMax: 3 }).open({ ...FIVE, key: keyOf('e') })).keep();
    expect(partsLeft()).toEqual(['4', 'e', 'f']);

    await (await aStore({ keptBytesMax: 3 }).open({ ...FIVE, key: keyOf('d') })).keep();
    expect(partsLeft()).toEqual(['d', 'e', 'f']);

    const strict = aStore({ keptMsMax: -1 });
    const one = await strict.open(FIVE);
    const other = await strict.open({ ...FIVE, key: OTHER_KEY });
    expect(partsLeft()).toEqual(['a', 'b']);
    await Promise.all([one.discard(), other.discard()]);
  });
});
