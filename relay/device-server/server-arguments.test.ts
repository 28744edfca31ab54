import { expect, test } from 'vitest';
import { parseServerArguments } from './server-arguments';

test('[AIP-25] without arguments it serves this machine only, on port 5000, with a key that is made', () => {
  expect(parseServerArguments([], {})).toEqual({
    ok: true,
    value: { kind: 'serve', host: '127.0.0.1', port: 5000, apiKey: undefined, logLevel: 'info' },
  });
});

test('the arguments of the stock server are understood', () => {
  const args = ['--port', '0', '--host', '::1', '--api-key', 'key', '--platform', 'linux', '--log-level', 'WARNING'];
  expect(parseServerArguments(args, {})).toEqual({
    ok: true,
    value: { kind: 'serve', host: '::1', port: 0, apiKey: 'key', logLevel: 'warn' },
  });
});

test('[AIP-25] the key may stand in a variable of the environment', () => {
  const environment = { AIP_KEY: 'from-there', EMPTY: '' };
  expect(parseServerArguments(['--api-key-env', 'AIP_KEY'], environment)).toMatchObject({
    value: { apiKey: 'from-there' },
  });
  for (const variable of ['ABSENT', 'EMPTY']) {
    const parsed = parseServerArguments(['--api-key-env', variable], environment);
    expect(parsed.ok ? '' : parsed.error).toContain(`"${variable}" of --api-key-env`);
  }
  const both = parseServerArguments(['--api-key', 'k', '--api-key-env', 'AIP_KEY'], environment);
  expect(both.ok ? '' : both.error).toContain('got both');
});

test.each([
  ['--port', 'x'],
  ['--port', '-1'],
  ['--port', '65536'],
  ['--port', ''],
  ['--api-key', ''],
  ['--host', ''],
  ['--platform', 'amiga'],
  ['--log-level', 'loud'],
  ['--unknown', '1'],
  ['stray', 'words'],
])('%s %j is a mistake that is named', (name, value) => {
  const parsed = parseServerArguments([name, value], {});
  expect(parsed.ok ? '' : parsed.error).toContain(name);
});
