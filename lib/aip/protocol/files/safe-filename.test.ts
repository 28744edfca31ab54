import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toSafeFilename } from './safe-filename';

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\system32\\drivers\\etc\\hosts', 'hosts'],
  ['a/b\\c.txt', 'c.txt'],
  ['..', 'unnamed'],
  ['', 'unnamed'],
  ['folder/', 'unnamed'],
  ['.bashrc', 'bashrc'],
  ['name. . ', 'name'],
  ['a\u0000b\nc.txt', 'a_b_c.txt'],
  ['evil\u202egnp.exe', 'evil_gnp.exe'],
  ['a<b>:c|d?.txt', 'a_b__c_d_.txt'],
  ['con', '_con'],
  ['LPT1.txt', '_LPT1.txt'],
  ['console.log', 'console.log'],
  ['中文 名.txt', '中文 名.txt'],
  [`${'x'.repeat(400)}.tar`, `${'x'.repeat(176)}.tar`],
])('[AIP-117] %j becomes %j', (received, safe) => {
  expect(toSafeFilename(received)).toBe(safe);
});

test('[AIP-117] whatever comes, it is a base name that no system takes for anything else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (received) => {
      const safe = toSafeFilename(received);
      expect(safe).not.toMatch(/^[.\s]|[.\s]$|[/\\<>:"|?*\p{Cc}]/u);
      expect(safe.length).toBeGreaterThan(0);
      expect(new TextEncoder().encode(safe).length).toBeLessThanOrEqual(184);
      expect(toSafeFilename(safe)).toBe(safe);
    }),
    { seed: 20_260_103, numRuns: 3_000 },
  );
});
