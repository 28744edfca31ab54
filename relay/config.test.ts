import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseRelayConfig } from './config';
import { envExample } from './env-example';

function configOf(environment: Record<string, string>) {
  const parsed = parseRelayConfig(environment);
  if (!parsed.ok) throw new Error(parsed.error.map((problem) => problem.message).join('\n'));
  return parsed.value;
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  const parsed = parseRelayConfig(environment);
  return parsed.ok ? [] : parsed.error.map((problem) => problem.message);
}

test('without any setting the relay listens on loopback, port 3000, with the local device', () => {
  expect(configOf({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    dataDir: '.orrery',
    token: undefined,
    localDevice: 'on',
    deviceForgetAfterMs: undefined,
    requestBytesMax: 16 * 1024 * 1024,
    nextOrigin: undefined,
    warnings: [],
  });
});

test('an empty setting counts as unset', () => {
  expect(configOf({ ORRERY_PORT: '', ORRERY_HOST: ' ' })).toMatchObject({ port: 3000, host: '127.0.0.1' });
});

test('all problems are named at once, each with what was expected, what came and what to do', () => {
  const problems = problemsOf({
    ORRERY_PORT: '70000',
    ORRERY_LOCAL_DEVICE: 'maybe',
    ORRERY_DEVICE_FORGET_AFTER: '3 weeks',
  });
  expect(problems).toEqual([
    'ORRERY_PORT: expected a whole number from 0 to 65535; got "70000". Correct it, or unset it to use the default.',
    'ORRERY_LOCAL_DEVICE: expected one of on, off; got "maybe". Correct it, or unset it to use the default.',
    'ORRERY_DEVICE_FORGET_AFTER: expected "off" or a duration such as 30d, 12h, 45m or 90s; got "3 weeks". Correct it, or unset it to use the default.',
  ]);
});

test('a token that cannot be used is not repeated in the message', () => {
  expect(problemsOf({ ORRERY_TOKEN: 'short-canary' }).join()).not.toContain('short-canary');
});

test('durations and sizes are read in their units', () => {
  const config = configOf({ ORRERY_DEVICE_FORGET_AFTER: '30d', ORRERY_MAX_REQUEST_BYTES: '512KiB' });
  expect(config).toMatchObject({ deviceForgetAfterMs: 30 * 86_400_000, requestBytesMax: 512 * 1024 });
});

test('private device networks are open by default only while the relay listens on loopback', () => {
  expect(configOf({}).deviceNetworks).toContain('10.0.0.0/8');
  expect(configOf({ ORRERY_HOST: '::1' }).deviceNetworks).toContain('192.168.0.0/16');
  expect(configOf({ ORRERY_HOST: '0.0.0.0' }).deviceNetworks).toEqual([]);
  expect(configOf({ ORRERY_HOST: '0.0.0.0', ORRERY_DEVICE_NETWORKS: '10.1.0.0/16' }).deviceNetworks).toEqual([
    '10.1.0.0/16',
  ]);
});

test('a public address without TLS is one warning, and none behind https', () => {
  expect(configOf({ ORRERY_HOST: '0.0.0.0' }).warnings).toHaveLength(1);
  expect(configOf({ ORRERY_HOST: '0.0.0.0', ORRERY_PUBLIC_ORIGIN: 'https://orrery.example' }).warnings).toEqual([]);
});

test('the config cannot be changed after it was read', () => {
  expect(Object.isFrozen(configOf({}))).toBe(true);
});

test.each([
  ['ORRERY_DEVICE_NETWORKS', '10.0.0.0/40'],
  ['ORRERY_ALLOWED_HOSTS', 'http://orrery.example'],
  ['ORRERY_PUBLIC_ORIGIN', 'https://orrery.example/path'],
  ['ORRERY_HOST', 'bad host'],
  ['ORRERY_MAX_REQUEST_BYTES', '5 potatoes'],
])('%s refuses %s', (name, value) => {
  expect(problemsOf({ [name]: value })).toHaveLength(1);
});

test('.env.example says what the settings say; `npx tsx relay/print-env-example.ts > .env.example` renews it', () => {
  expect(readFileSync(new URL('../.env.example', import.meta.url), 'utf8')).toBe(envExample());
});
