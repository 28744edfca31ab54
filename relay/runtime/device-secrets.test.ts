import { expect, test } from 'vitest';
import type { LinkHost } from '@/relay/links/link-host';
import { type ARuntime, aRuntime, deviceId } from './testing/a-runtime';

const ID = deviceId('linux-1');

function edit(one: ARuntime, serverUrl: string) {
  return one.send({ type: 'device-edit', deviceId: ID, patch: { serverUrl } });
}

function profile(one: ARuntime) {
  return one.runtime.fleet().devices.get(ID)?.profile;
}

function dialled(host: LinkHost) {
  return host.serverUrl(ID);
}

async function withToken(): Promise<ARuntime> {
  const one = aRuntime();
  await one.addDevice('linux-1', 'ws://127.0.0.1:5000/ws?token=hunter2#x');
  return one;
}

test('the fleet shows the address without its token, and the link gets it whole', async () => {
  const one = await withToken();

  expect(profile(one)).toMatchObject({ serverUrl: 'ws://127.0.0.1:5000/ws' });
  expect(profile(one)?.secretRef).toMatch(/^linux-1\.[0-9a-f]{16}$/);
  expect(dialled(one.links.host)).toEqual({ ok: true, value: 'ws://127.0.0.1:5000/ws?token=hunter2' });
});

test('an edit that repeats the shown address keeps the token and changes nothing', async () => {
  const one = await withToken();
  const before = profile(one);

  expect((await edit(one, 'ws://127.0.0.1:5000/ws')).status).toBe('accepted');
  expect((await edit(one, 'ws://127.0.0.1:5000/ws?token=hunter2')).status).toBe('accepted');

  expect(profile(one)).toBe(before);
});

test('another path on the same server keeps the token', async () => {
  const one = await withToken();
  await edit(one, 'ws://127.0.0.1:5000/other');

  expect(dialled(one.links.host)).toEqual({ ok: true, value: 'ws://127.0.0.1:5000/other?token=hunter2' });
});

test('[S41] the token of one server is not sent to another', async () => {
  const one = await withToken();

  for (const url of ['ws://10.0.0.1:5000/ws', 'ws://127.0.0.1:5001/ws', 'wss://127.0.0.1:5000/ws']) {
    expect(await edit(one, url)).toMatchObject({ status: 'rejected', refusal: { code: 'invalid' } });
  }
  expect(dialled(one.links.host)).toEqual({ ok: true, value: 'ws://127.0.0.1:5000/ws?token=hunter2' });
  expect((await edit(one, 'ws://10.0.0.1:5000/ws?token=other')).status).toBe('accepted');
  expect(dialled(one.links.host)).toEqual({ ok: true, value: 'ws://10.0.0.1:5000/ws?token=other' });
});

test('a replaced or removed secret is not kept', async () => {
  const one = await withToken();
  await edit(one, 'ws://127.0.0.1:5000/ws?token=new');
  expect(one.engine.kv.list('device-secret')).toHaveLength(1);

  await one.send({ type: 'device-remove', deviceId: ID });
  expect(one.engine.kv.list('device-secret')).toEqual([]);
});

test('a refused command leaves no secret behind', async () => {
  const one = await withToken();
  await one.addDevice('linux-1', 'ws://127.0.0.1:5000/ws?token=again');

  expect(one.engine.kv.list('device-secret')).toHaveLength(1);
  expect(dialled(one.links.host)).toEqual({ ok: true, value: 'ws://127.0.0.1:5000/ws?token=hunter2' });
});

test.each([
  ['without its token', 'ws://127.0.0.1:5000/ws'],
  ['at another address', 'ws://10.0.0.1:5000/ws'],
  ['at an address that is not allowed', 'ws://169.254.169.254/latest'],
])('a device that exists, added again %s, is said to exist', async (_, serverUrl) => {
  const one = await withToken();
  const verdict = await one.addDevice('linux-1', serverUrl);

  expect(verdict).toMatchObject({ status: 'rejected', refusal: { code: 'device-exists' } });
});

test('an edit of a device that does not exist says so, whatever the address', async () => {
  const verdict = await edit(aRuntime(), 'ws://169.254.169.254/latest');

  expect(verdict).toMatchObject({ status: 'rejected', refusal: { code: 'device-unknown' } });
});

test('an address that is not allowed is refused with the reason, without its token', async () => {
  const one = aRuntime();
  const verdict = await one.addDevice('linux-1', 'ws://169.254.169.254/latest?token=hunter2');

  expect(verdict).toMatchObject({ status: 'rejected', refusal: { code: 'invalid' } });
  expect(JSON.stringify(verdict)).toContain('169.254.169.254 is link-local, which is never allowed');
  expect(JSON.stringify(verdict)).not.toContain('hunter2');
});
