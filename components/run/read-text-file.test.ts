import { expect, test } from 'vitest';
import { readTextFile } from './read-text-file';

test('a file above the usual limit of the relay is read, since that limit is for the relay to tell', async () => {
  const text = `"${'x'.repeat(17 * 1024 * 1024)}"`;
  const read = await readTextFile(new File([text], 'plan.json'));
  expect(read.ok && read.value === text).toBe(true);
});

test('a file that no browser holds in one text is refused with its size before it is read', async () => {
  const size = 300 * 1024 * 1024;
  const arrayBuffer = () => Promise.reject(new Error('must not be read'));
  const read = await readTextFile({ name: 'plan.json', size, arrayBuffer });
  expect(read).toEqual({ ok: false, error: expect.stringMatching(/plan\.json has 300\.0 MiB.*256\.0 MiB/) });
});

test('a file that is no text, or that has vanished, is told by its name', async () => {
  const bytes = new File([new Uint8Array([0xff, 0xfe, 0xfd])], 'photo.json');
  const gone = { name: 'gone.json', size: 1, arrayBuffer: () => Promise.reject(new Error('gone')) };
  expect(await readTextFile(bytes)).toEqual({ ok: false, error: expect.stringContaining('photo.json') });
  expect(await readTextFile(gone)).toEqual({ ok: false, error: expect.stringContaining('gone.json') });
});
