import { encodeUtf8 } from '@/lib/std/utf8';

/** Room for what a store adds, within the 255 bytes that file systems take. */
const NAME_BYTES_MAX = 180;
const FALLBACK = 'unnamed';
/** Names of devices on Windows, whatever stands after a dot. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * A received name as a base name that is safe on every system: what stands after the last separator of any kind, without
 * control characters and those that Windows forbids, not hidden, not reserved, not too long. It never names a folder.
 */
export function toSafeFilename(received: string): string {
  const base = received.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const cleaned = base
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd<>:"|?*]/gu, '_')
    .replace(/^[.\s]+/u, '')
    .replace(/[.\s]+$/u, '');
  const name = withinLength(cleaned);
  if (name === '') return FALLBACK;
  const stem = name.split('.')[0] ?? '';
  return RESERVED.test(stem.trim()) ? `_${name}` : name;
}

/** Keeps the end, which says what kind of file it is. */
function withinLength(name: string): string {
  if (utf8Length(name) <= NAME_BYTES_MAX) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && utf8Length(name.slice(dot)) <= 16 ? name.slice(dot) : '';
  let stem = '';
  let bytes = utf8Length(ending);
  for (const character of name.slice(0, name.length - ending.length)) {
    bytes += utf8Length(character);
    if (bytes > NAME_BYTES_MAX) break;
    stem += character;
  }
  return `${stem.replace(/[.\s]+$/u, '')}${ending}`;
}

function utf8Length(text: string): number {
  return encodeUtf8(text).length;
}
