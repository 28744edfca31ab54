import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { complain, PlainError } from './plain-error.mjs';
import { commandFile } from './root.mjs';
import { runTool, tailOf } from './run-tool.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where browsers are installed that are not on the PATH. */
const USUAL_PLACES = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
};

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {Readonly<Record<string, string | undefined>>} env @returns {string | undefined} */
function onPath(env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

/** @returns {Promise<string | undefined>} */
async function ofPlaywright() {
  const { chromium } = await import('playwright');
  const path = chromium.executablePath();
  return path !== '' && existsSync(path) ? path : undefined;
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<string | undefined>}
 */
export async function findChromium(env) {
  const named = env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new PlainError(
      `CHROMIUM_PATH names ${named}, which is no program. Correct it, or unset it to search for one.`,
    );
  }
  const places = USUAL_PLACES[/** @type {keyof typeof USUAL_PLACES} */ (process.platform)] ?? [];
  return (await ofPlaywright()) ?? onPath(env) ?? places.find(isExecutable);
}

/** @returns {Promise<string>} the last words of what failed, or nothing */
async function installDebianPackage() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await runTool('apt-get', ['update', '-q'], { env });
  if (update.code !== 0) return tailOf(update.output, 3);
  const install = await runTool('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'chromium'], { env });
  return install.code === 0 ? '' : tailOf(install.output, 3);
}

/** @returns {Promise<string>} */
export async function findOrInstallChromium() {
  const found = await findChromium(process.env);
  if (found !== undefined) return found;
  const words = [];
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    complain('Installing Chromium with apt-get …');
    words.push(await installDebianPackage());
    const installed = onPath(process.env);
    if (installed !== undefined) return installed;
  }
  complain('Installing the Chromium of Playwright …');
  const cli = commandFile('playwright', 'playwright');
  const { code, output } = await runTool(process.execPath, [cli, 'install', 'chromium']);
  const downloaded = await ofPlaywright();
  if (code === 0 && downloaded !== undefined) return downloaded;
  words.push(tailOf(output, 3));
  throw new PlainError(
    `The tests need a Chromium and none could be installed. Install one and name it: CHROMIUM_PATH=/path/to/chromium npm test\n${words.join('\n')}`,
  );
}
