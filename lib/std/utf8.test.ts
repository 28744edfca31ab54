import { expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8 } from './utf8';

test('text survives the way to bytes and back, a byte order mark included', () => {
  for (const text of ['', 'a', '中😀', '\uFEFFx', '\0']) expect(decodeUtf8(encodeUtf8(text))).toBe(text);
});

test.each([[[0xff]], [[0xc3]], [[0xed, 0xa0, 0x80]], [[0xf4, 0x90, 0x80, 0x80]]])(
  'the bytes %j are no text',
  (bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
  },
);
