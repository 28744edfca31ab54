import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { FileStore, IncomingFile, PartialFile } from '@/lib/aip/protocol/files/file-ports';
import type { Clock } from '@/lib/std/clock';
import { errorCode } from '@/lib/std/error-code';
import { readAt } from './read-at';

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants;
/** Absent on Windows, where making links takes rights of its own. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/** Where what is not whole yet waits; received names never begin with a dot. */
const PARTIAL_FOLDER = '.partial';
const PARTIAL_NAME = /^[0-9a-f]{64}\.part$/;
/** Files of one name; beyond it something else is wrong. */
const SAME_NAME_MAX = 10_000;
/** What a file system says that knows no second name for a file, as those of memory cards and of Android apps. */
const WITHOUT_LINKS = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** How long and how much of interrupted transfers is kept; the oldest goes first. */
export type KeptFilesLimits = {
  readonly keptMsMax: number;
  readonly keptFilesMax: number;
  readonly keptBytesMax: number;
};

export const KEPT_FILES_LIMITS: KeptFilesLimits = {
  keptMsMax: 24 * 60 * 60 * 1_000,
  keptFilesMax: 64,
  keptBytesMax: 16 * 1_024 ** 3,
};

type Held = {
  isLost: boolean;
  /** All work on the file, in order; never rejects. */
  tail: Promise<unknown>;
  readonly handle: FileHandle;
};

type Kept = { readonly name: string; readonly bytes: number; readonly atMs: number };

/**
 * Received files in a folder, readable by this user only. A file appears under its name when it is whole and on the disk;
 * one that has the name already stays, the new one gets a number. Interrupted transfers wait in `.partial`.
 *
 * One store for one folder: two of them do not see what the other holds.
 */
export function createNodeFileStore(
  folder: string,
  options: { readonly clock: Clock; readonly limits?: Partial<KeptFilesLimits> },
): FileStore {
  const { clock } = options;
  const limits = { ...KEPT_FILES_LIMITS, ...options.limits };
  const partialFolder = path.join(folder, PARTIAL_FOLDER);
  const held = new Map<string, Held>();
  let opening: Promise<unknown> = Promise.resolve();

  async function openPartial({ key, filename, sizeBytes }: IncomingFile): Promise<PartialFile> {
    const name = `${key}.part`;
    if (!PARTIAL_NAME.test(name)) throw new RangeError(`Expected a key of 64 hexadecimal digits, got ${key}`);
    if (path.basename(filename) !== filename || /^\.|^$/.test(filename)) {
      throw new RangeError(`Expected a base name that is not hidden, got ${filename}`);
    }
    await prepare();
    await takeFrom(name);
    await prune(name);
    const file = path.join(partialFolder, name);
    const handle = await openOwn(file);
    const holder: Held = { isLost: false, tail: Promise.resolve(), handle };
    held.set(name, holder);
    return partialOf({ holder, name, file, filename, sizeBytes, keptBytes: (await handle.stat()).size });
  }

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true });
    await mkdir(partialFolder, { mode: 0o700 }).catch((cause) => {
      if (errorCode(cause) !== 'EEXIST') throw cause;
    });
    const found = await lstat(partialFolder);
    if (!found.isDirectory()) throw new Error(`Expected ${PARTIAL_FOLDER} to be a folder; remove what stands there`);
  }

  /** Whoever has it open gives it up; what it is writing at this moment is written first. */
  async function takeFrom(name: string): Promise<void> {
    const holder = held.get(name);
    if (!holder) return;
    holder.isLost = true;
    held.delete(name);
    await holder.tail;
    await holder.handle.close();
  }

  /** Makes room for one more, which is never removed itself. */
  async function prune(spared: string): Promise<void> {
    const kept = (await keptFiles()).filter(({ name }) => name !== spared).sort((a, b) => b.atMs - a.atMs);
    let bytes = 0;
    for (const [index, file] of kept.entries()) {
      bytes += file.bytes;
      const isOld = clock.now() - file.atMs > limits.keptMsMax;
      const isTooMuch = index + 1 >= limits.keptFilesMax || bytes > limits.keptBytesMax;
      if ((isOld || isTooMuch) && !held.has(file.name)) await removeIfThere(path.join(partialFolder, file.name));
    }
  }

  async function keptFiles(): Promise<Kept[]> {
    const names = await readdir(partialFolder);
    const kept: Kept[] = [];
    for (const name of names.filter((each) => PARTIAL_NAME.test(each))) {
      const found = await lstatIfThere(path.join(partialFolder, name));
      if (found) kept.push({ name, bytes: found.size, atMs: found.mtimeMs });
    }
    return kept;
  }

  type Placed = {
    readonly holder: Held;
    readonly name: string;
    readonly file: string;
    readonly filename: string;
    readonly sizeBytes: number;
    readonly keptBytes: number;
  };

  function partialOf({ holder, name, file, filename, sizeBytes, keptBytes }: Placed): PartialFile {
    const { handle } = holder;
    let size = keptBytes;

    function inTurn<T>(work: () => Promise<T>): Promise<T> {
      const done = holder.tail.then(() => {
        if (holder.isLost) throw new Error('Somebody else goes on with this file, or it is closed');
        return work();
      });
      holder.tail = done.catch(() => {}); // whoever asked for this work is told
      return done;
    }

    async function release(): Promise<void> {
      holder.isLost = true;
      if (held.get(name) === holder) held.delete(name);
      await handle.close();
    }

    /** Nothing is done when it is released or taken already. */
    function releaseAfter(work: () => Promise<void>): Promise<void> {
      const done = holder.tail.then(async () => {
        if (holder.isLost) return;
        try {
          await work();
        } finally {
          await release();
        }
      });
      holder.tail = done.catch(() => {}); // whoever asked for this work is told
      return done;
    }

    return {
      keptBytes,
      read: (offset, lengthBytes) => inTurn(() => readAt(handle, offset, lengthBytes)),
      truncate: (leftBytes) =>
        inTurn(async () => {
          if (leftBytes > size) throw new RangeError(`Expected at most ${size} bytes to be left, got ${leftBytes}`);
          await handle.truncate(leftBytes);
          size = leftBytes;
        }),
      append: (bytes) =>
        inTurn(async () => {
          await writeAt(handle, bytes, size);
          size += bytes.length;
        }),
      commit: () =>
        inTurn(async () => {
          if (size !== sizeBytes) throw new Error(`Expected a file of ${sizeBytes} bytes to be whole, it has ${size}`);
          await handle.sync();
          const place = path.join(folder, await nameIt(file, filename));
          await syncFolder(place);
          await release();
          return place;
        }),
      keep: () => releaseAfter(() => handle.datasync()),
      discard: () => releaseAfter(() => removeIfThere(file)),
    };
  }

  /** @returns the name that was free */
  async function nameIt(file: string, filename: string): Promise<string> {
    const { name: stem, ext } = path.parse(filename);
    for (let count = 0; count < SAME_NAME_MAX; count += 1) {
      const name = count === 0 ? filename : `${stem} (${count})${ext}`;
      const isNamed = await nameOnce(file, path.join(folder, name));
      if (isNamed) return name;
    }
    throw new Error(`Expected fewer than ${SAME_NAME_MAX} files of one name; remove some`);
  }

  async function nameOnce(file: string, target: string): Promise<boolean> {
    try {
      await link(file, target);
    } catch (cause) {
      if (errorCode(cause) === 'EEXIST') return false;
      if (!WITHOUT_LINKS.includes(errorCode(cause))) throw cause;
      return moveTo(file, target);
    }
    await unlink(file);
    return true;
  }

  /** The name is taken first by an empty file, which the whole one then replaces. */
  async function moveTo(file: string, target: string): Promise<boolean> {
    try {
      await (await open(target, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)).close();
    } catch (cause) {
      if (errorCode(cause) === 'EEXIST') return false;
      throw cause;
    }
    try {
      await rename(file, target);
    } catch (cause) {
      await unlink(target);
      throw cause;
    }
    return true;
  }

  /** A new name lasts only when its folder is on the disk, too. */
  async function syncFolder(place: string): Promise<void> {
    if (process.platform === 'win32') return; // folders cannot be opened there
    const handle = await open(folder, O_RDONLY | O_DIRECTORY);
    try {
      await handle.sync();
    } catch (cause) {
      await unlink(place);
      throw cause;
    } finally {
      await handle.close();
    }
  }

  return {
    open(file) {
      const opened = opening.then(() => openPartial(file));
      opening = opened.catch(() => {}); // whoever opens it is told
      return opened;
    },
  };
}

/** Never a link, and never a file that has another name: a commit that was interrupted would be written to. */
async function openOwn(file: string): Promise<FileHandle> {
  const found = await lstatIfThere(file);
  if (found && (!found.isFile() || found.nlink > 1)) await unlink(file);
  return open(file, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
    written += bytesWritten;
  }
}

async function removeIfThere(file: string): Promise<void> {
  await unlink(file).catch((cause) => {
    if (errorCode(cause) !== 'ENOENT') throw cause;
  });
}

async function lstatIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
