import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TRY_EVERY_MS = 50;
const ANSWER_MS_MAX = 5_000;

/**
 * Asks again and again until the answer is the wanted one.
 *
 * @param {() => Promise<boolean>} ask - a throw counts as "not yet"
 * @param {{deadlineMs: number, signal: AbortSignal}} limits - milliseconds from now
 * @returns {Promise<boolean>} false when the deadline came or the signal fired first
 */
export async function askUntil(ask, { deadlineMs, signal }) {
  const endMs = performance.now() + deadlineMs;
  while (!signal.aborted && performance.now() < endMs) {
    if (await ask().catch(() => false)) return true;
    await sleep(TRY_EVERY_MS);
  }
  return false;
}

/** @param {string} url @returns {Promise<boolean>} */
export async function answersOk(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX), redirect: 'manual' });
  await response.body?.cancel();
  return response.ok;
}

/**
 * @param {string} origin
 * @param {string | undefined} tokenFile - of the API token; without it `ORRERY_TOKEN` is the token
 * @returns {Promise<boolean>} whether the relay shows the local device as idle
 */
export async function isLocalDeviceIdle(origin, tokenFile) {
  const token = process.env.ORRERY_TOKEN || (tokenFile === undefined ? '' : readFileSync(tokenFile, 'utf8').trim());
  const response = await fetch(`${origin}/v1/devices/local`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (!response.ok) return false;
  const device = /** @type {{status?: unknown}} */ (await response.json());
  return device.status === 'idle';
}

/** A wildcard address is one to listen on, not one to call. @param {string} origin @returns {string} */
export function callableOrigin(origin) {
  return origin.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]');
}
