import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@/lib/std/error-code';
import { err, ok, type Result } from '@/lib/std/result';

export const SECRET_KEY_FILE = 'secret.key';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1:';

/** Seals small secrets for the journal and opens them again. */
export type SecretBox = {
  /** @param name - bound to the sealed text, so that it cannot be moved to another entry */
  seal(name: string, secret: string): string;
  open(name: string, sealed: string): Result<string, string>;
  /** Says whether two texts are the same without keeping either. */
  fingerprint(text: string): string;
};

export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    seal(name, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${FORM}${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
      if (!sealed.startsWith(FORM) || bytes.length < NONCE_BYTES + TAG_BYTES) {
        return err('Expected a sealed secret, got another text; enter the address of the device again');
      }
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(name))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return ok(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8'));
      } catch {
        // Nothing is lost that could be kept: without the right key the text stays closed.
        return err(`The secret does not fit the key in ${SECRET_KEY_FILE}; enter the address of the device again`);
      }
    },
    fingerprint: (text) => createHmac('sha256', key).update(text).digest('base64url'),
  };
}

/**
 * Reads the key of a data folder, or makes it once, readable by this user alone.
 *
 * @throws Error when the file holds something else or cannot be written
 */
export function loadSecretKey(folder: string): Uint8Array {
  const path = join(folder, SECRET_KEY_FILE);
  const known = readKey(path);
  if (known !== undefined) return known;
  const key = randomBytes(KEY_BYTES);
  // Under another name first: a process that is killed in between must not leave a torn key, which no start gets past.
  const unfinished = `${path}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(file, `${key.toString('base64url')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  return key;
}

function readKey(path: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
  const key = Buffer.from(text.trim(), 'base64url');
  if (key.length === KEY_BYTES) return key;
  throw new Error(
    `Expected a key of ${KEY_BYTES} bytes in ${path}, got ${key.length}; put back a copy of it, or move it away and enter the addresses of all devices again`,
  );
}
