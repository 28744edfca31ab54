import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const IGNORED_FOLDERS = new Set(['node_modules', '.next', 'dist', '.orrery', '.git', 'testing']);
/** What no build reads. */
const IGNORED_FILES = /(\.(test|contract|bench)\.tsx?|\.md|\.tsbuildinfo)$/;

/** @param {string} path @returns {string[]} */
function filesUnder(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : filesUnder(join(path, entry.name));
    return IGNORED_FILES.test(entry.name) ? [] : [join(path, entry.name)];
  });
}

/**
 * Says by content, not by time, whether anything that a build reads has changed; absent paths count as empty.
 *
 * @param {string} root
 * @param {readonly string[]} paths - files and folders below root
 * @returns {string} hex
 */
export function contentHash(root, paths) {
  const hash = createHash('sha256');
  const files = paths.flatMap((path) => filesUnder(join(root, path)));
  for (const file of files.sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file).split(sep).join('/')}\0${content.length}\0`);
    hash.update(content);
  }
  return hash.digest('hex');
}
