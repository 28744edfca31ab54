import { expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import type { Batch, Engine } from '@/relay/engine/engine';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import { seededRandom } from '@/relay/engine/testing/seeded-random';
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

async function withToken(engine?: Engine): Promise<ARuntime> {
  const one = aRuntime(engine === undefined ? {} : { engine });
  await one.addDevice('linux-1', 'ws://127.0.0.1:5000/ws?token=hunter2#x');
  return one;
}

/** A store, and the names of the secrets that it holds. */
function watchedStore(): { readonly engine: Engine; readonly secrets: ReadonlySet<string> } {
  const engine = createMemoryEngine({ clock: createFakeClock(), random: seededRandom(5) });
  const secrets = new Set<string>();
  function append(batch: Batch) {
    for (const { op, space, key } of batch.kv) {
      if (space !== 'device-secret') continue;
      if (op === 'put') secrets.add(key);
      else secrets.delete(key);
    }
    return engine.append(batch);
  }
  return { engine: { ...engine, append }, secrets };
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
  const { engine, secrets } = watchedStore();
  const one = await withToken(engine);
  const [first] = secrets;
  await edit(one, 'ws://127.0.0.1:5000/ws?token=new');
  expect([...secrets]).toEqual([profile(one)?.secretRef]);
  expect(secrets).not.toContain(first);

  await one.send({ type: 'device-remove', deviceId: ID });
  expect(secrets.size).toBe(0);
});

test('a refused command leaves no secret behind', async () => {
  const { engine, secrets } = watchedStore();
  const one = await withToken(engine);
  await one.addDevice('linux-1', 'ws://127.0.0.1:5000/ws?token=again');

  expect([...secrets]).toEqual([profile(one)?.secretRef]);
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
