import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogFile } from './log-file.mjs';
import { complain, reasonOf } from './plain-error.mjs';
import { commandFile, ROOT } from './root.mjs';
import { createSupervisedChild } from './supervised-child.mjs';

/** @typedef {import('./supervised-child.mjs').ChildEnd} ChildEnd */
/** @typedef {'the relay' | 'the page server' | 'the local device server' | 'the local device'} ProgramName */

/**
 * @typedef {object} ProgramEvents
 * @property {(name: ProgramName, pid: number) => void} onStart
 * @property {(name: ProgramName, end: ChildEnd) => void} onEnd
 * @property {(message: Record<string, unknown>) => void} onRelayMessage
 * @property {(message: Record<string, unknown>) => void} onDeviceServerMessage
 */

const TELL_EVERY_MS = 60_000;

/** Stacks in the logs name the sources, not the bundle. */
const BUNDLE_ARGS = ['--enable-source-maps'];

/** The environment without our settings: only the relay may know tokens. */
function foreignEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ORRERY_'));
  return { ...Object.fromEntries(kept), NODE_ENV: /** @type {const} */ ('production'), NEXT_TELEMETRY_DISABLED: '1' };
}

/**
 * The programs that make a running Orrery, none of them started yet.
 *
 * @param {import('./start-settings.mjs').StartSettings} settings
 * @param {number} pagePort - where the page server listens on loopback
 * @param {ProgramEvents} events
 */
export function createPrograms(settings, pagePort, events) {
  const localKey = randomBytes(24).toString('base64url');
  /** Chosen by the system at the first start, and kept: the relay knows the device by this address. */
  let localPort = 0;

  /** When a kind of error was last told, in milliseconds of this process. @type {Map<string, number>} */
  const toldAtMs = new Map();

  /** Puts an error that a program has logged on the screen, each kind at most once a minute. @param {ProgramName} name @param {string} file @param {Record<string, unknown>} fact */
  function tellError(name, file, { what, reason, error }) {
    const kind = `${name} ${what}`;
    const nowMs = performance.now();
    if (nowMs - (toldAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    toldAtMs.set(kind, nowMs);
    const detail = String(reason ?? error ?? '').split('\n')[0];
    complain(
      `Error in ${name}: ${what}${detail === '' ? '' : `: ${detail}`}. More in ${join(settings.dataDir, 'logs', file)}.`,
    );
  }

  /** @param {ProgramName} name @param {string} file @param {Omit<import('./supervised-child.mjs').ChildProgram, 'name' | 'log' | 'onEnd' | 'onStart'>} program */
  const child = (name, file, program) =>
    createSupervisedChild({
      ...program,
      name,
      log: createLogFile(join(settings.dataDir, 'logs', file), {
        onFailure: (error) =>
          complain(`The log ${file} cannot be written (${reasonOf(error)}); Orrery goes on without it.`),
      }),
      onStart: (pid) => events.onStart(name, pid),
      onErrorFact: (fact) => tellError(name, file, fact),
      onEnd: (end) => events.onEnd(name, end),
    });

  const localRoot = join(settings.dataDir, 'local-device');
  const localUrl = () => `ws://127.0.0.1:${localPort}/ws?token=${localKey}`;
  const relayEnvironment = {
    ...process.env,
    NODE_ENV: /** @type {const} */ ('production'),
    ORRERY_HOST: settings.host,
    ORRERY_PORT: String(settings.port),
    ORRERY_DATA_DIR: settings.dataDir,
    ORRERY_NEXT_ORIGIN: `http://127.0.0.1:${pagePort}`,
  };

  return {
    pages: child('the page server', 'pages.log', {
      module: commandFile('next'),
      argv: () => ['start', '--hostname', '127.0.0.1', '--port', String(pagePort)],
      env: foreignEnvironment(),
    }),
    deviceServer: child('the local device server', 'local-device-server.log', {
      module: join(ROOT, 'dist', 'device-server.mjs'),
      nodeArgs: BUNDLE_ARGS,
      argv: () => ['--port', String(localPort), '--host', '127.0.0.1', `--api-key=${localKey}`],
      env: foreignEnvironment(),
      onMessage: (message) => {
        if (message.type === 'ready' && typeof message.port === 'number') localPort = message.port;
        events.onDeviceServerMessage(message);
      },
    }),
    device: child('the local device', 'local-device.log', {
      module: join(ROOT, 'dist', 'device-client.mjs'),
      nodeArgs: BUNDLE_ARGS,
      argv: () => {
        mkdirSync(localRoot, { recursive: true, mode: 0o700 });
        return ['--server-url', localUrl(), '--id', 'local', '--root', localRoot];
      },
      env: foreignEnvironment(),
    }),
    /** Made when the address of the local device is known. */
    createRelay: () =>
      child('the relay', 'relay.log', {
        module: join(ROOT, 'dist', 'relay.mjs'),
        nodeArgs: BUNDLE_ARGS,
        argv: () => [],
        env: settings.hasLocalDevice
          ? { ...relayEnvironment, ORRERY_LOCAL_DEVICE_URL: localUrl() }
          : { ...relayEnvironment, ORRERY_LOCAL_DEVICE: 'off' },
        onMessage: events.onRelayMessage,
      }),
  };
}
