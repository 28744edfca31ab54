import type { ReactNode } from 'react';
import { classNames } from './class-names';
import { TONE_SOLID, TONE_TINTED, type Tone } from './tone';

/** A short word on a tint. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={classNames('inline-flex h-5 items-center rounded px-1.5 text-xs whitespace-nowrap', TONE_TINTED[tone])}
    >
      {children}
    </span>
  );
}

/** A state: icon, word and hue together, so that none of them is needed alone. */
export function StateBadge({
  tone,
  icon,
  word,
}: {
  readonly tone: Tone;
  readonly icon: ReactNode;
  readonly word: string;
}) {
  return (
    <span
      className={classNames(
        'inline-flex h-6 items-center gap-1.5 rounded-full pr-2.5 pl-1.5 text-xs font-medium whitespace-nowrap',
        TONE_TINTED[tone],
      )}
    >
      <span className={classNames('inline-flex', TONE_SOLID[tone])}>{icon}</span>
      {word}
    </span>
  );
}
