import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { say } from './plain-error.mjs';
import { commandFile, ROOT } from './root.mjs';
import { ensureDataDir, probePort, readDevelopmentSettings } from './start-settings.mjs';

const STOP_MS_MAX = 5_000;

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {'inherit' | 'ignore'} input
 */
function startNode(args, env, input) {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: [input, 'inherit', 'inherit', 'ipc'],
  });
}

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(force);
}

/** @returns {Promise<number>} when one of the two has ended or somebody asked to stop */
export async function startDevelopment() {
  const settings = readDevelopmentSettings(process.env);
  ensureDataDir(settings.dataDir);
  const pagePort = await probePort(settings);
  const relayPort = await probePort({ host: '127.0.0.1', port: 0 });
  const publicOrigin = process.env.ORRERY_PUBLIC_ORIGIN || `http://${settings.host}:${pagePort}`;

  const tsx = pathToFileURL(join(ROOT, 'node_modules', 'tsx', 'dist', 'loader.mjs')).href;
  const relay = startNode(
    ['--import', tsx, 'relay/main.ts'],
    {
      ORRERY_HOST: '127.0.0.1',
      ORRERY_PORT: String(relayPort),
      ORRERY_DATA_DIR: settings.dataDir,
      ORRERY_PUBLIC_ORIGIN: publicOrigin,
      // The built-in device belongs to `npm start`; `npm run device` gives one here.
      ORRERY_LOCAL_DEVICE: 'off',
    },
    'ignore',
  );
  relay.on('message', (message) => {
    const { type, signInUrl } = /** @type {{type?: string, signInUrl?: string}} */ (message);
    if (type === 'ready') say(`\n  Sign in: ${signInUrl}\n`);
  });
  const pages = startNode(
    [commandFile('next'), 'dev', '--hostname', settings.host, '--port', String(pagePort)],
    { ORRERY_RELAY_ORIGIN: `http://127.0.0.1:${relayPort}`, ORRERY_TOKEN: '', NEXT_TELEMETRY_DISABLED: '1' },
    'inherit',
  );
  const asked = new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => done(0));
  });
  const ended = [relay, pages].map((child) => once(child, 'exit').then(([code]) => code ?? 1));
  const code = await Promise.race([asked, ...ended]);
  await Promise.all([stop(relay), stop(pages)]);
  return code;
}
