import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError, reasonOf, say } from './plain-error.mjs';

/** An install and a build on a slow machine take minutes; longer than this the holder hangs. */
const WAIT_MS_MAX = 600_000;
const LOOK_EVERY_MS = 250;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to somebody else.
    return reasonOf(error) === 'EPERM';
  }
}

/** @param {string} path @returns {number | undefined} */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {string} lock @param {string} mine @returns {boolean} */
function tryTake(lock, mine) {
  try {
    // A link appears with its content or not at all, so nobody ever reads a lock without an owner.
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the lock of a dead process away; what another process took in between is put back. @param {string} lock @param {number} deadPid */
function removeDead(lock, deadPid) {
  const aside = `${lock}.${process.pid}.dead`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return;
    throw error;
  }
  if (holderOf(aside) !== deadPid) tryTake(lock, aside);
  rmSync(aside, { force: true });
}

/**
 * Lets one process at a time install or build in a folder; the others wait, and then find the work done.
 *
 * @template T
 * @param {string} folder - made if absent
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function withSetupLock(folder, body) {
  const lock = join(folder, '.setup-lock');
  const mine = `${lock}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(mine, String(process.pid));
  } catch (error) {
    throw new PlainError(
      `The folder ${folder} cannot be written (${reasonOf(error)}). Give this user write permission to it and start again.`,
    );
  }
  try {
    await take(lock, mine);
    try {
      return await body();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @param {string} lock @param {string} mine */
async function take(lock, mine) {
  let waitedMs = 0;
  while (!tryTake(lock, mine)) {
    const holder = holderOf(lock);
    if (holder !== undefined && !isAlive(holder)) {
      removeDead(lock, holder);
      continue;
    }
    if (waitedMs === 0) say(`Waiting for process ${holder ?? '?'}, which installs or builds here already …`);
    if (waitedMs >= WAIT_MS_MAX) {
      throw new PlainError(
        `Process ${holder ?? '?'} has been installing or building here for ten minutes. Stop it, remove ${lock}, start again.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
    waitedMs += LOOK_EVERY_MS;
  }
}
