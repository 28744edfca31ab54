import type { Random } from '@/lib/std/random';

/** Random numbers that are the same in every run of a test (mulberry32). */
export function seededRandom(seed = 1): Random {
  let state = seed;
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  function hex(bytes: number): string {
    let text = '';
    for (let index = 0; index < bytes; index += 1) {
      text += Math.floor(fraction() * 256)
        .toString(16)
        .padStart(2, '0');
    }
    return text;
  }
  return { fraction, hex, uuid: () => hex(16) };
}
