import fc from 'fast-check';
import type { JsonObject } from '@/lib/std/json';

const FAULTS = ['flip', 'cut', 'double', 'drop', 'swap', 'nest', 'proto', 'number'] as const;

export type MutationOptions = {
  /** What a member may be replaced by. */
  readonly anything: fc.Arbitrary<unknown>;
  /** The member that takes any JSON, and so any depth of it. */
  readonly freeMember: string;
  /** How the ids begin of which one becomes a huge number. */
  readonly idPrefix: string;
};

/** A frame that was good, with one fault: a bit turned, an end cut off, a member doubled, taken out or put elsewhere. */
export function mutatedFrames(valid: readonly JsonObject[], options: MutationOptions): fc.Arbitrary<string> {
  const { anything, freeMember, idPrefix } = options;
  const id = new RegExp(`"${idPrefix}[^"]*"`);
  return fc
    .tuple(fc.constantFrom(...valid), fc.nat(), fc.constantFrom(...FAULTS), anything)
    .map(([frame, at, fault, value]) => {
      const whole = JSON.stringify(frame);
      const keys = Object.keys(frame);
      const key = keys[at % keys.length] ?? 'type';
      const place = at % whole.length;
      const flipped = String.fromCharCode(whole.charCodeAt(place) ^ (1 << (at % 7)));
      const nest = `${'['.repeat(at % 3_000)}${']'.repeat(at % 3_000)}`;
      const broken: Record<(typeof FAULTS)[number], () => string> = {
        flip: () => whole.slice(0, place) + flipped + whole.slice(place + 1),
        cut: () => whole.slice(0, place),
        double: () => `${whole.slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(value)}}`,
        drop: () => JSON.stringify({ ...frame, [key]: undefined }),
        swap: () => JSON.stringify({ ...frame, [key]: value }),
        nest: () => `${whole.slice(0, -1)},"${freeMember}":${nest}}`,
        proto: () => `${whole.slice(0, -1)},"__proto__":${JSON.stringify(value)}}`,
        number: () => whole.replace(id, `1${'0'.repeat(at % 400)}`),
      };
      return broken[fault]();
    });
}
