import { expect, test } from 'vitest';
import { z } from 'zod';
import { CLOSE } from './close-codes';
import { downFrameSchema } from './down';
import { upFrameSchema } from './up';
import { PROTOCOL_VERSION } from './version';

/** Of each version that was ever served. A version's fingerprint never changes: a changed frame is a new version. */
const FINGERPRINTS: Readonly<Record<number, string>> = {
  1: '8bd7eb23c85893edd64c80d4fee998467a34bd61237775c83e5f63242ba0f727',
};

async function fingerprint(): Promise<string> {
  const shapes = [upFrameSchema, downFrameSchema].map((schema) =>
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  const text = JSON.stringify([PROTOCOL_VERSION, CLOSE, shapes]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

test('no frame, command or event has changed without a new protocol version', async () => {
  expect(await fingerprint()).toBe(FINGERPRINTS[PROTOCOL_VERSION]);
});
