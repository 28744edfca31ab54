import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createSecretBox, loadSecretKey, SECRET_KEY_FILE } from './secrets';
import { isSameServer, joinServerUrl, splitServerUrl } from './server-address';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'orrery-secrets-'));
  folders.push(path);
  return path;
}

test('a sealed secret opens again under its name, and only there', () => {
  const box = createSecretBox(loadSecretKey(folder()));
  const sealed = box.seal('device/a', '?token=hunter2');

  expect(box.open('device/a', sealed)).toEqual({ ok: true, value: '?token=hunter2' });
  expect(box.open('device/b', sealed).ok).toBe(false);
  expect(box.seal('device/a', '?token=hunter2')).not.toBe(sealed);
  expect(sealed).not.toContain('hunter2');
});

test('a changed, shortened or foreign text is refused', () => {
  const box = createSecretBox(loadSecretKey(folder()));
  const sealed = box.seal('device/a', '?token=hunter2');
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;

  for (const text of [changed, sealed.slice(0, 20), '', 'v1:', 'plain'])
    expect(box.open('device/a', text).ok).toBe(false);
  expect(createSecretBox(loadSecretKey(folder())).open('device/a', sealed).ok).toBe(false);
});

test('the key is made once and belongs to this user alone', () => {
  const path = folder();
  const key = loadSecretKey(path);

  expect(loadSecretKey(path)).toEqual(key);
  expect((statSync(join(path, SECRET_KEY_FILE)).mode & 0o777).toString(8)).toBe('600');
});

test('a damaged key file is named, never replaced', () => {
  const path = folder();
  writeFileSync(join(path, SECRET_KEY_FILE), 'short');

  expect(() => loadSecretKey(path)).toThrow(/Expected a key of 32 bytes in .*secret\.key, got/);
});

test('a start that was killed while it made the key is no obstacle to the next one', () => {
  const path = folder();
  writeFileSync(join(path, `${SECRET_KEY_FILE}.new`), 'torn');
  const key = loadSecretKey(path);

  expect(key).toHaveLength(32);
  expect(loadSecretKey(path)).toEqual(key);
  expect(readdirSync(path)).toEqual([SECRET_KEY_FILE]);
});

test('[AIP-26] an address shows scheme, host and path and keeps its query to itself', () => {
  const split = splitServerUrl(' wss://Device.Example:443/ws?token=hunter2&x=1#part ');

  expect(split).toEqual({ ok: true, value: { shown: 'wss://device.example/ws', secret: '?token=hunter2&x=1' } });
  if (split.ok) expect(joinServerUrl(split.value)).toBe('wss://device.example/ws?token=hunter2&x=1');
  expect(splitServerUrl('ws://10.0.0.1:5000/ws')).toEqual({
    ok: true,
    value: { shown: 'ws://10.0.0.1:5000/ws', secret: null },
  });
});

test('[S41] another scheme, host or port is another server', () => {
  expect(isSameServer('ws://a:1/ws', 'ws://a:1/other')).toBe(true);
  expect(isSameServer('ws://a:1/ws', 'ws://a:2/ws')).toBe(false);
  expect(isSameServer('wss://a/ws', 'ws://a/ws')).toBe(false);
  expect(isSameServer('wss://a/ws', 'wss://b/ws')).toBe(false);
});
