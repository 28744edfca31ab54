import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '@/lib/std/error-code';
import { ToolError } from './tool-error';

/**
 * The one folder that file tools may touch.
 *
 * A link may stand inside and lead inside. To keep it from being changed between the check and the use, the resolved
 * path is walked again from the open root, each step without following links; where the system has no
 * `/proc/self/fd`, the opened file is compared with what was checked.
 */
export type RootFolder = {
  /** The real path of the folder; never for people far away. */
  readonly realPath: string;
  /** Opens a file or folder for reading. The caller closes it. */
  openForReading(name: string): Promise<FileHandle>;
  /** Replaces a file as a whole: readers see the old or the new content, never a part. */
  replaceFile(name: string, content: Uint8Array): Promise<void>;
  /** Whether a path that a command was given leads out of the folder; what does not exist leads nowhere. */
  leadsOutside(name: string): Promise<boolean>;
};

const RULE = 'paths are relative to the device’s root folder, without ".." and without links that lead out of it';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Absent on Windows, where the comparison after opening stands alone. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;
/** A pipe without a writer would hold an ordinary open for ever. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

const NEW_FILE_MODE = 0o644;

/** `isLastFolder`: all parts are folders, and those that are missing are made. */
type Steps = { readonly parts: readonly string[]; readonly isLastFolder: boolean };

/** @throws when the folder cannot be made or read */
export async function openRootFolder(folder: string): Promise<RootFolder> {
  await mkdir(folder, { recursive: true });
  const root = await realpath(folder);
  const canWalkByHandle = process.platform === 'linux';

  async function openForReading(name: string): Promise<FileHandle> {
    const parts = checkedParts(name);
    const resolved = await realpath(path.join(root, ...parts)).catch((cause) => fail(name, cause));
    const inner = innerParts(name, resolved);
    if (canWalkByHandle) return step(name, { parts: inner, isLastFolder: false });
    const handle = await open(resolved, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause) => fail(name, cause));
    await assertSame(handle, { name, resolved });
    return handle;
  }

  function innerParts(name: string, resolved: string): readonly string[] {
    const inner = path.relative(root, resolved);
    if (isOutside(inner)) throw new ToolError(`${quote(name)} leads out of the root folder: ${RULE}`);
    return inner.split(path.sep).filter((part) => part !== '');
  }

  /** Opens step by step from the root's own handle, so that no link can be slipped in between. */
  async function step(name: string, { parts, isLastFolder }: Steps): Promise<FileHandle> {
    let handle = await open(root, O_RDONLY | O_DIRECTORY).catch((cause) => fail(name, cause));
    for (const [index, part] of parts.entries()) {
      const isFolder = isLastFolder || index < parts.length - 1;
      const parent = handle;
      const inner = `/proc/self/fd/${parent.fd}/${part}`;
      try {
        if (isLastFolder) await makeFolder(inner);
        handle = await open(inner, O_RDONLY | O_NOFOLLOW | (isFolder ? O_DIRECTORY : O_NONBLOCK));
      } catch (cause) {
        fail(name, cause);
      } finally {
        await parent.close();
      }
    }
    return handle;
  }

  async function assertSame(handle: FileHandle, { name, resolved }: { name: string; resolved: string }): Promise<void> {
    const [opened, checked, again] = await Promise.all([handle.stat(), lstat(resolved), realpath(resolved)]);
    if (opened.ino === checked.ino && opened.dev === checked.dev && again === resolved) return;
    await handle.close();
    throw new ToolError(`${quote(name)} changed while it was opened; try again`);
  }

  /** Where a folder stands or would stand, links resolved as far as it exists. */
  async function resolveFolder(name: string, parts: readonly string[]): Promise<readonly string[]> {
    for (let length = parts.length; ; length -= 1) {
      try {
        const resolved = await realpath(path.join(root, ...parts.slice(0, length)));
        return [...innerParts(name, resolved), ...parts.slice(length)];
      } catch (cause) {
        if (errorCode(cause) !== 'ENOENT' || length === 0) fail(name, cause);
      }
    }
  }

  async function replaceFile(name: string, content: Uint8Array): Promise<void> {
    const parts = checkedParts(name);
    const fileName = parts.at(-1);
    if (fileName === undefined) throw new ToolError(`${quote(name)} names the root folder itself; name a file in it`);
    const folder = await resolveFolder(name, parts.slice(0, -1));
    if (!canWalkByHandle) {
      for (const [index] of folder.entries()) {
        await makeFolder(path.join(root, ...folder.slice(0, index + 1))).catch((cause) => fail(name, cause));
      }
      await replaceIn(path.join(root, ...folder, fileName), name, content);
      return;
    }
    const parent = await step(name, { parts: folder, isLastFolder: true });
    try {
      await replaceIn(`/proc/self/fd/${parent.fd}/${fileName}`, name, content);
      // The new name lasts only when the folder is on the disk, too.
      await parent.sync();
    } finally {
      await parent.close();
    }
  }

  async function leadsOutside(name: string): Promise<boolean> {
    if (name.includes('\0')) return true;
    try {
      return isOutside(path.relative(root, await realpath(path.resolve(root, name))));
    } catch (cause) {
      // What cannot be looked at counts as outside; what does not exist leads nowhere.
      return !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(cause));
    }
  }

  return { realPath: root, openForReading, replaceFile, leadsOutside };
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((cause) => {
    if (errorCode(cause) !== 'EEXIST') throw cause;
  });
}

async function replaceIn(target: string, name: string, content: Uint8Array): Promise<void> {
  const before = await lstat(target).catch((cause) => {
    if (errorCode(cause) === 'ENOENT') return undefined;
    return fail(name, cause);
  });
  if (before && !before.isFile()) {
    throw new ToolError(`${quote(name)} is ${before.isSymbolicLink() ? 'a link' : 'no file'} and is not replaced`);
  }
  // A name of its own: the target's may be as long as names can be.
  const temporary = path.join(path.dirname(target), `.${randomBytes(8).toString('hex')}.part`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, NEW_FILE_MODE).catch((cause) =>
    fail(name, cause),
  );
  try {
    try {
      await handle.writeFile(content);
      if (before) await handle.chmod(before.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    // The write has failed already; a part that cannot be removed either changes nothing about that.
    await unlink(temporary).catch(() => {});
    fail(name, cause);
  }
}

function checkedParts(name: string): readonly string[] {
  if (name.includes('\0')) throw new ToolError('A path must not hold a NUL character');
  if (path.isAbsolute(name) || path.win32.isAbsolute(name) || /^[A-Za-z]:/.test(name)) {
    throw new ToolError(`${quote(name)} is an absolute path: ${RULE}`);
  }
  const parts = name.split(process.platform === 'win32' ? /[\\/]/ : '/');
  if (parts.includes('..')) throw new ToolError(`${quote(name)} holds "..": ${RULE}`);
  return parts.filter((part) => part !== '' && part !== '.');
}

function isOutside(relative: string): boolean {
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'goes through something that is no folder',
  EISDIR: 'is a folder',
  EACCES: 'may not be opened by this device',
  EPERM: 'may not be changed by this device',
  ELOOP: `goes through a link: ${RULE}`,
  ENAMETOOLONG: 'is too long a name',
  ENOSPC: 'does not fit: the disk is full',
  EDQUOT: 'does not fit: the disk quota is used up',
  EROFS: 'lies on a disk that cannot be written',
  ENXIO: 'is no file',
};

/** Turns a failure of the file system into a sentence without this machine's paths. */
function fail(name: string, cause: unknown): never {
  if (cause instanceof ToolError) throw cause;
  const code = errorCode(cause);
  throw new ToolError(`${quote(name)} ${REASONS[code] ?? `cannot be used (${code || 'unknown reason'})`}`, { cause });
}

function quote(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
