import { createHash, timingSafeEqual } from 'node:crypto';

/** What is stored instead of a secret. The secrets here are long and random, so a plain hash is enough. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Compares in a time that depends neither on the place of the first difference nor on the lengths. */
export function isSameSecret(left: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(hash(left), hash(right));
}
