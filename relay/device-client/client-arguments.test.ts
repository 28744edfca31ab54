import { expect, test } from 'vitest';
import { parseClientArguments } from './client-arguments';

const URL_GIVEN = 'ws://127.0.0.1:5000/ws?token=top-secret';
const ENVIRONMENT = { DEVICE_URL: URL_GIVEN, WRONG: 'http://x?token=top-secret', EMPTY: '' };
const read = (...args: string[]) => parseClientArguments(['--server-url', URL_GIVEN, '--id', 'linux-1', ...args], {});

test('a URL and a name are enough', () => {
  expect(read()).toMatchObject({
    ok: true,
    value: { kind: 'run', serverUrl: URL_GIVEN, id: 'linux-1', root: 'device-root', allowedCommands: [] },
  });
});

test('the URL may stand in a variable of the environment', () => {
  const args = ['--server-url-env', 'DEVICE_URL', '--id', 'linux-1'];
  expect(parseClientArguments(args, ENVIRONMENT)).toMatchObject({ ok: true, value: { serverUrl: URL_GIVEN } });
});

test('commands to allow come as a list, and more than once', () => {
  expect(read('--allow', 'git,node', '--allow', 'make')).toMatchObject({
    value: { allowedCommands: ['git', 'node', 'make'] },
  });
});

test('what the device can do besides is added word by word', () => {
  expect(read('--capability', 'camera', '--capability', ' gpu_h100 ')).toMatchObject({
    value: { addedCapabilities: ['camera', 'gpu_h100'] },
  });
});

test.each([
  ['--server-url', ['--server-url', 'http://x', '--id', 'a']],
  ['--server-url', ['--server-url', 'nonsense', '--id', 'a']],
  ['--server-url', ['--id', 'a']],
  ['both', ['--server-url', URL_GIVEN, '--server-url-env', 'DEVICE_URL', '--id', 'a']],
  ['"ABSENT" of --server-url-env', ['--server-url-env', 'ABSENT', '--id', 'a']],
  ['"EMPTY" of --server-url-env', ['--server-url-env', 'EMPTY', '--id', 'a']],
  ['"WRONG" of --server-url-env', ['--server-url-env', 'WRONG', '--id', 'a']],
  ['--id', ['--server-url', URL_GIVEN]],
  ['--id', ['--server-url', URL_GIVEN, '--id', 'a b']],
  ['--root', ['--server-url', URL_GIVEN, '--id', 'a', '--root', '']],
  ['--platform', ['--server-url', URL_GIVEN, '--id', 'a', '--platform', 'amiga']],
  ['--log-level', ['--server-url', URL_GIVEN, '--id', 'a', '--log-level', 'loud']],
  ['--allow', ['--server-url', URL_GIVEN, '--id', 'a', '--allow', '/bin/sh']],
  ['--allow', ['--server-url', URL_GIVEN, '--id', 'a', '--allow', '']],
  ['--capability', ['--server-url', URL_GIVEN, '--id', 'a', '--capability', ' ']],
  ['--nothing', ['--nothing']],
  ['server URL', [URL_GIVEN]],
])('a wrong %s is named, and the token never', (name, args) => {
  const parsed = parseClientArguments(args, ENVIRONMENT);
  expect(parsed.ok ? '' : parsed.error).toContain(name);
  expect(JSON.stringify(parsed)).not.toContain('top-secret');
});
