import { expect, test } from 'vitest';
import { findChromium } from './find-chromium.mjs';

test('CHROMIUM_PATH wins over everything else', async () => {
  expect(await findChromium({ CHROMIUM_PATH: process.execPath, PATH: '' })).toBe(process.execPath);
});

test('a CHROMIUM_PATH that is no program is told, not passed over', async () => {
  await expect(findChromium({ CHROMIUM_PATH: '/nowhere/chromium' })).rejects.toThrow(
    'CHROMIUM_PATH names /nowhere/chromium, which is no program',
  );
});
