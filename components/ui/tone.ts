/** Six families of hue. A hue alone never says a state: an icon and a word stand beside it. */
export type Tone = 'neutral' | 'blue' | 'green' | 'red' | 'amber' | 'violet';

/** Text on its tint. */
export const TONE_TINTED: Record<Tone, string> = {
  neutral: 'bg-neutral-tint text-neutral-text',
  blue: 'bg-blue-tint text-blue-text',
  green: 'bg-green-tint text-green-text',
  red: 'bg-red-tint text-red-text',
  amber: 'bg-amber-tint text-amber-text',
  violet: 'bg-violet-tint text-violet-text',
};

export const TONE_BORDER: Record<Tone, string> = {
  neutral: 'border-neutral-solid',
  blue: 'border-blue-solid',
  green: 'border-green-solid',
  red: 'border-red-solid',
  amber: 'border-amber-solid',
  violet: 'border-violet-solid',
};

/** For icons and shapes, never for text. */
export const TONE_SOLID: Record<Tone, string> = {
  neutral: 'text-neutral-solid',
  blue: 'text-blue-solid',
  green: 'text-green-solid',
  red: 'text-red-solid',
  amber: 'text-amber-solid',
  violet: 'text-violet-solid',
};
