import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from './content-hash.mjs';
import { PlainError, say } from './plain-error.mjs';
import { commandFile, ROOT } from './root.mjs';
import { runTool, tailOf } from './run-tool.mjs';
import { withSetupLock } from './setup-lock.mjs';

/** Programs of the project that run on Node: name of the bundle, and its entry. */
export const PROGRAMS = {
  relay: 'relay/main.ts',
  'device-server': 'relay/device-server/main.ts',
  'device-client': 'relay/device-client/main.ts',
};

const SHARED_SOURCES = ['lib', 'package.json', 'package-lock.json', 'tsconfig.json'];
const PAGE_SOURCES = [
  'app',
  'components',
  'examples',
  'public',
  'next.config.ts',
  'postcss.config.mjs',
  'proxy.ts',
  ...SHARED_SOURCES,
];
const PROGRAM_SOURCES = ['relay', 'examples', ...SHARED_SOURCES];

/** @param {string} file @returns {string | undefined} */
function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * Says whether the packages that npm noted down as installed are those of the lock file, so that a plain `npm ci` or
 * `npm install` before the first start is not repeated.
 *
 * @param {string} root
 */
export function isInstalledAsLocked(root) {
  const lock = readText(join(root, 'package-lock.json'));
  const installed = readText(join(root, 'node_modules', '.package-lock.json'));
  if (lock === undefined || installed === undefined) return false;
  const wanted = JSON.parse(lock).packages ?? {};
  const present = JSON.parse(installed).packages ?? {};
  return (
    Object.entries(present).every(([path, entry]) => wanted[path]?.version === entry.version) &&
    Object.entries(wanted).every(([path, entry]) => path === '' || path in present || entry.optional === true)
  );
}

/** @param {string} root @returns {string} */
function installFingerprint(root) {
  const lock = readText(join(root, 'package-lock.json')) ?? '';
  // Packages with native parts are chosen by these three.
  const platform = `${process.versions.modules} ${process.platform} ${process.arch}`;
  return createHash('sha256').update(`${platform}\n${lock}`).digest('hex');
}

/** npm as it was called, else the one on the PATH. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli)) return { file: process.execPath, args: [cli], shell: false };
  return { file: 'npm', args: [], shell: process.platform === 'win32' };
}

/** Installs the packages of the lock file, unless they are there already. */
export async function ensureDependencies() {
  const stamp = join(ROOT, 'node_modules', '.install-stamp');
  const fingerprint = installFingerprint(ROOT);
  if (readText(stamp) === fingerprint) return;
  if (readText(stamp) === undefined && isInstalledAsLocked(ROOT)) {
    writeFileSync(stamp, fingerprint);
    return;
  }
  await withSetupLock(join(ROOT, 'dist'), async () => {
    if (readText(stamp) === fingerprint) return;
    say('Installing packages; the first time this takes about half a minute …');
    const npm = npmCommand();
    const { code, output } = await runTool(npm.file, [...npm.args, 'ci', '--include=dev', '--loglevel=error'], npm);
    if (code !== 0) {
      throw new PlainError(
        `The packages could not be installed; npm ci ended with code ${code} and these words:\n${tailOf(output, 6)}\nMend that (network, proxy, disk space, permissions) and start again.`,
      );
    }
    writeFileSync(stamp, fingerprint);
  });
}

/** Settings of a running relay must not be baked into the pages. */
function buildEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ORRERY_') && name !== 'NODE_OPTIONS');
  return { ...Object.fromEntries(kept), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
}

/** @param {{what: string, code: number | string, output: string}} failure */
function buildFailure({ what, code, output }) {
  const log = join(ROOT, 'dist', 'build.log');
  writeFileSync(log, output);
  return new PlainError(
    `The build failed: ${what} ended with ${code}. Its last words (all of them are in ${log}):\n${tailOf(output, 12)}`,
  );
}

async function buildPages() {
  const args = [commandFile('next'), 'build'];
  const { code, output } = await runTool(process.execPath, args, { env: buildEnvironment() });
  if (code !== 0) throw buildFailure({ what: 'next build', code: `code ${code}`, output });
}

async function buildPrograms() {
  const { build, formatMessages, stop } = await import('esbuild');
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: Object.entries(PROGRAMS).map(([out, entry]) => ({ in: entry, out })),
      outdir: 'dist',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20.9',
      format: 'esm',
      sourcemap: true,
      logLevel: 'silent',
    });
  } catch (error) {
    const { errors } = /** @type {import('esbuild').BuildFailure} */ (error);
    const output = errors === undefined ? String(error) : (await formatMessages(errors, { kind: 'error' })).join('\n');
    throw buildFailure({ what: 'the bundling of the relay', code: 'errors', output });
  } finally {
    // Else a service process of esbuild stays alive and holds this one.
    await stop();
  }
}

/**
 * The two halves of a build. Each has its stamp: a change of the relay alone does not build the pages again.
 */
const PARTS = {
  pages: { stamp: '.next/BUILD_STAMP', sources: PAGE_SOURCES, outputs: ['.next/BUILD_ID'], build: buildPages },
  programs: {
    stamp: 'dist/BUILD_STAMP',
    sources: PROGRAM_SOURCES,
    outputs: Object.keys(PROGRAMS).map((name) => `dist/${name}.mjs`),
    build: buildPrograms,
  },
};

/**
 * @param {string} root
 * @param {keyof typeof PARTS} name
 */
export function isBuilt(root, name) {
  const part = PARTS[name];
  const hash = readText(join(root, part.stamp));
  return (
    hash !== undefined &&
    part.outputs.every((output) => existsSync(join(root, output))) &&
    hash === contentHash(root, part.sources)
  );
}

/** @param {keyof typeof PARTS} name */
async function buildPart(name) {
  const part = PARTS[name];
  const stamp = join(ROOT, part.stamp);
  // Before the build: what changes while it runs makes the next start build again.
  const hash = contentHash(ROOT, part.sources);
  rmSync(stamp, { force: true });
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  await part.build();
  writeFileSync(stamp, hash);
}

/**
 * Builds what is stale. A failed build leaves no stamp behind.
 *
 * @param {readonly (keyof typeof PARTS)[]} [names]
 */
export async function ensureBuild(names = ['programs', 'pages']) {
  if (names.every((name) => isBuilt(ROOT, name))) return;
  await withSetupLock(join(ROOT, 'dist'), async () => {
    const stale = names.filter((name) => !isBuilt(ROOT, name));
    if (stale.includes('pages')) say('Building; this takes about half a minute …');
    for (const name of stale) await buildPart(name);
  });
}
