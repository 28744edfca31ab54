import { expect, test } from 'vitest';
import { listExamples, readExample } from './example-files';

test('every listed example can be read and is JSON', async () => {
  const names = await listExamples();
  expect(names).toContain('log_sweep_three_hosts');
  for (const name of names) expect(JSON.parse((await readExample(name)) ?? '')).toHaveProperty('tasks');
});

test('nothing outside of the folder of examples can be read', async () => {
  for (const name of ['../package', '..%2fpackage', '/etc/passwd', 'a/../../package', '']) {
    expect(await readExample(name)).toBeUndefined();
  }
});
