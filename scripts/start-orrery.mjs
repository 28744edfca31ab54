import { join } from 'node:path';
import { ensureBuild, ensureDependencies } from './ensure.mjs';
import { complain, PlainError, say } from './plain-error.mjs';
import { createPrograms } from './start-programs.mjs';
import { ensureDataDir, isLoopback, probePort, readStartSettings } from './start-settings.mjs';
import { endReason } from './supervised-child.mjs';
import { answersOk, askUntil, callableOrigin, isLocalDeviceIdle } from './wait-until-ready.mjs';
import { watchParent } from './watch-parent.mjs';

const READY_MS_MAX = 60_000;
const LOCAL_IDLE_MS_MAX = 20_000;
/** So often in a row the relay may end within ten seconds of its start before that counts as hopeless. */
const RELAY_QUICK_FAILURES_MAX = 5;
const STOP_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @typedef {{origin: string, signInUrl?: string, tokenFile?: string}} RelayReady */

/** @template T */
function createDeferred() {
  /** @type {(value: T) => void} */
  let resolve = () => {};
  /** @type {(error: Error) => void} */
  let reject = () => {};
  const promise = new Promise((res, rej) => {
    resolve = res;
    reject = rej;
  });
  // Heard by whoever awaits it later; until then a failure is no unhandled one.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {string} what - that did not happen in time
 * @returns {Promise<T>}
 */
async function inTime(promise, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new PlainError(`${what} within ${READY_MS_MAX / 1_000} s.`)), READY_MS_MAX);
    // A stop in the meantime must not wait for it.
    timer.unref();
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tells a parent program that has started this script with a channel. @param {Record<string, unknown>} message */
function tellParent(message) {
  if (process.connected) process.send?.(message);
}

/**
 * Calls back once somebody wants this process to stop: a signal, a parent that is gone.
 *
 * @param {() => void} onStop
 * @param {() => void} onImpatience - a second signal
 */
function watchForStop(onStop, onImpatience) {
  let isAsked = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (isAsked) onImpatience();
      isAsked = true;
      onStop();
    });
  }
  process.on('disconnect', onStop);
  process.channel?.unref();
  watchParent(onStop);
}

/** @param {import('./start-settings.mjs').StartSettings} settings */
function warnWhenPublic({ host }) {
  if (isLoopback(host) || process.env.ORRERY_PUBLIC_ORIGIN?.trim().startsWith('https:')) return;
  complain(
    `Warning: ORRERY_HOST=${host} lets other machines reach Orrery over plain http, so sign-in links and tokens can be read on the way. Put a proxy with TLS in front and name it in ORRERY_PUBLIC_ORIGIN, or stay on 127.0.0.1.`,
  );
}

/** @param {RelayReady} ready @param {string} dataDir */
function printReady(ready, dataDir) {
  say(
    [
      '',
      `  Orrery is ready. Sign in: ${ready.signInUrl}`,
      '',
      '  The link works once, for ten minutes; each start prints a new one.',
      `  API token  ${ready.tokenFile ?? 'the value of ORRERY_TOKEN'}`,
      `  Data       ${dataDir} (logs in ${join(dataDir, 'logs')})`,
      '  Stop       Ctrl-C',
      '',
    ].join('\n'),
  );
}

/** @param {import('./start-settings.mjs').StartSettings} settings */
async function runPrograms(settings) {
  /** @type {ReturnType<typeof createDeferred<number>>} */
  const outcome = createDeferred();
  /** @type {ReturnType<typeof createDeferred<RelayReady>>} */
  const relayReady = createDeferred();
  /** @type {ReturnType<typeof createDeferred<void>>} */
  const deviceServerReady = createDeferred();
  const stopping = new AbortController();
  /** @type {RelayReady | undefined} */
  let shown;

  const programs = createPrograms(settings, await probePort({ host: '127.0.0.1', port: 0 }), {
    onStart: (name, pid) => tellParent({ type: 'started', name, pid }),
    onEnd: (name, end) => handleEnd(name, end),
    onDeviceServerMessage: (message) => {
      if (message.type === 'ready') deviceServerReady.resolve();
    },
    onRelayMessage: (message) => {
      if (message.type !== 'ready') return;
      const ready = /** @type {RelayReady} */ (/** @type {unknown} */ (message));
      relayReady.resolve(ready);
      if (shown !== undefined) say(`The relay runs again. Should a page ask you to sign in: ${ready.signInUrl}`);
    },
  });
  /** @type {ReturnType<typeof programs.createRelay> | undefined} */
  let relay;
  const others = settings.hasLocalDevice
    ? { pages: programs.pages, deviceServer: programs.deviceServer, device: programs.device }
    : { pages: programs.pages };
  const byName = () => [...Object.values(others), ...(relay === undefined ? [] : [relay])];

  /** @param {string} name @param {import('./supervised-child.mjs').ChildEnd} end */
  function handleEnd(name, end) {
    const sentence = `${name.charAt(0).toUpperCase()}${name.slice(1)} has ended (${endReason(end)})`;
    const logs = join(settings.dataDir, 'logs');
    if (shown === undefined) {
      outcome.reject(new PlainError(end.lastWords || `${sentence} before it was ready; its log is in ${logs}.`));
      return;
    }
    if (name === 'the relay' && end.code === 0) {
      say('The relay was stopped by somebody else; stopping the rest.');
      outcome.resolve(0);
      return;
    }
    if (name === 'the relay' && end.quickFailures >= RELAY_QUICK_FAILURES_MAX) {
      outcome.reject(
        new PlainError(
          `${sentence}, ${end.quickFailures} times in a row; giving up. ${end.lastWords || `Its log is in ${logs}.`}`,
        ),
      );
      return;
    }
    complain(`${sentence} and is started again; its log is in ${logs}.`);
    byName()
      .find((program) => program.name === name)
      ?.restart();
  }

  async function bringUp() {
    others.pages.start();
    if (others.deviceServer !== undefined) {
      others.deviceServer.start();
      await inTime(deviceServerReady.promise, 'The local device server did not start');
      others.device.start();
    }
    // Nothing is started any more once somebody asked to stop.
    if (stopping.signal.aborted) return undefined;
    relay = programs.createRelay();
    relay.start();
    const ready = await inTime(relayReady.promise, 'The relay did not start');
    const origin = callableOrigin(ready.origin);
    const limits = { deadlineMs: READY_MS_MAX, signal: stopping.signal };
    for (const path of ['/readyz', '/sign-in']) {
      if ((await askUntil(() => answersOk(origin + path), limits)) || stopping.signal.aborted) continue;
      throw new PlainError(
        `${ready.origin}${path} does not answer as it should; the logs in ${join(settings.dataDir, 'logs')} say why.`,
      );
    }
    if (!settings.hasLocalDevice) return ready;
    const isIdle = () => isLocalDeviceIdle(origin, ready.tokenFile);
    const cameIdle = await askUntil(isIdle, { deadlineMs: LOCAL_IDLE_MS_MAX, signal: stopping.signal });
    if (!cameIdle && !stopping.signal.aborted) {
      complain(`The local device is not idle yet; its logs are in ${join(settings.dataDir, 'logs')}.`);
    }
    return ready;
  }

  watchForStop(
    () => {
      stopping.abort();
      outcome.resolve(0);
    },
    () => {
      for (const program of byName()) program.kill();
      process.exit(1);
    },
  );
  // An end of this process on any other way, an error of its own included, leaves no child behind.
  process.on('exit', () => {
    for (const program of byName()) program.kill();
  });

  try {
    const first = await Promise.race([bringUp(), outcome.promise]);
    if (typeof first === 'object' && !stopping.signal.aborted) {
      shown = first;
      printReady(first, settings.dataDir);
      tellParent({ type: 'ready', ...first, dataDir: settings.dataDir });
    }
    return await outcome.promise;
  } finally {
    stopping.abort();
    // The relay first: it says goodbye to browsers and devices while they are still there.
    await relay?.stop();
    await Promise.all(Object.values(others).map((program) => program.stop()));
  }
}

/** @returns {Promise<number>} the exit code; every child has ended by then */
export async function startOrrery() {
  const settings = readStartSettings(process.env);
  ensureDataDir(settings.dataDir);
  // Settled here even when the system chooses it: a relay that is started again has to come back on the same port.
  const port = await probePort(settings);
  await ensureDependencies();
  await ensureBuild();
  warnWhenPublic(settings);
  return await runPrograms({ ...settings, port });
}
