import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['app', 'components', 'lib', 'relay'];

/** What only tests may import. */
const FOR_TESTS = /(^|\/)testing\/|\.(test|contract)(\.tsx?)?$|^(vitest|fast-check)$/;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

const products = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
).filter((name) => /\.tsx?$/.test(name) && !/\.(test|contract)\.tsx?$/.test(name) && !/\/testing\//.test(name));

test('there are sources to look at', () => {
  expect(products.length).toBeGreaterThan(200);
});

test('nothing that is shipped imports a test or what helps tests', () => {
  const found = products.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(IMPORT)]
      .map(([, target = '']) => target)
      .filter((target) => FOR_TESTS.test(target))
      .map((target) => `${name} imports ${target}`),
  );
  expect(found).toEqual([]);
});
