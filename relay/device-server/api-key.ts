import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Says whether a text is the key; how long it takes tells nothing about either. */
export type KeyCheck = (candidate: string | undefined) => boolean;

export function createKeyCheck(key: string): KeyCheck {
  const wanted = digest(key);
  return (candidate) => candidate !== undefined && timingSafeEqual(digest(candidate), wanted);
}

/** Hashing first gives both sides one length, whatever came: long, empty or not ASCII. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** A key of 43 characters that need no quoting in a URL. */
export function makeApiKey(): string {
  return randomBytes(32).toString('base64url');
}
