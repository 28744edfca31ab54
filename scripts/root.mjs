import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project, wherever a script is started from. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} packageName
 * @param {string} [name] - of the command, when the package has several
 * @returns {string} the JavaScript file behind a command of an installed package, to be run with this Node
 */
export function commandFile(packageName, name) {
  const folder = join(ROOT, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name ?? packageName]);
}
