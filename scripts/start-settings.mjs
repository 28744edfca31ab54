import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { PlainError, reasonOf } from './plain-error.mjs';
import { ROOT } from './root.mjs';

/**
 * @typedef {object} StartSettings
 * @property {string} host
 * @property {number} port
 * @property {string} dataDir - absolute
 * @property {boolean} hasLocalDevice
 */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** @param {string} host */
export function isLoopback(host) {
  return LOOPBACK.test(host);
}

/**
 * The few settings that the start itself needs; the relay checks all of them.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {StartSettings}
 */
export function readStartSettings(env) {
  const problems = [];
  const portText = env.ORRERY_PORT?.trim() || '3000';
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > 65_535) {
    problems.push(`ORRERY_PORT must be a port from 0 to 65535, but is "${portText}"; leave it out for 3000.`);
  }
  const local = env.ORRERY_LOCAL_DEVICE?.trim().toLowerCase() || 'on';
  if (local !== 'on' && local !== 'off') {
    problems.push(`ORRERY_LOCAL_DEVICE must be "on" or "off", but is "${local}"; leave it out for "on".`);
  }
  if (problems.length > 0) throw new PlainError(problems.join('\n'));
  return {
    host: (env.ORRERY_HOST?.trim() || '127.0.0.1').replace(/^\[(.*)\]$/, '$1'),
    port,
    dataDir: env.ORRERY_DATA_DIR ? resolve(env.ORRERY_DATA_DIR) : join(ROOT, '.orrery'),
    hasLocalDevice: local === 'on',
  };
}

/**
 * The same for `npm run dev`, with data of its own: the device `local` of a start must not turn up there without its server.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {StartSettings}
 */
export function readDevelopmentSettings(env) {
  return readStartSettings({ ...env, ORRERY_DATA_DIR: env.ORRERY_DATA_DIR || join(ROOT, '.orrery-dev') });
}

/**
 * Node's own recursive `mkdir` never returns where a file system answers ENOENT to every new folder, such as below /proc.
 *
 * @param {string} folder - absolute
 */
function makeFolder(folder) {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder));
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another start may have made it in between.
      if (reasonOf(error) !== 'EEXIST') throw error;
    }
  } else if (!statSync(folder).isDirectory()) {
    throw new Error(`${folder} is no folder`);
  }
}

/** Fails before the long steps rather than after them. @param {string} dataDir */
export function ensureDataDir(dataDir) {
  const probe = join(dataDir, `.write-probe-${process.pid}`);
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new PlainError(
      `The data folder ${dataDir} cannot be written (${reasonOf(error)}). Give this user write permission, or name another folder: ORRERY_DATA_DIR=/some/folder npm start`,
    );
  }
}

/** @param {{host: string, port: number}} address @returns {Promise<number>} the port, or a free one when it is 0 */
export function probePort({ host, port }) {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error) => fail(new PlainError(portSentence({ host, port }, reasonOf(error)))));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** @param {{host: string, port: number}} address @param {string} code */
function portSentence({ host, port }, code) {
  const other = `ORRERY_PORT=${port < 65_535 ? port + 1 : 3000} npm start`;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program, perhaps by an Orrery that runs already. Stop that program, or choose another port: ${other} (a second Orrery also needs an ORRERY_DATA_DIR of its own)`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Choose a port above 1023: ORRERY_PORT=3000 npm start`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `ORRERY_HOST is "${host}", which is no address of this machine. Use 127.0.0.1, 0.0.0.0 or an address that this machine has.`;
    default:
      return `Port ${port} on ${host} cannot be opened (${code}). Choose another one: ${other}`;
  }
}
