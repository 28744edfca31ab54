import type { DisplayState } from '@/lib/run/display-state';

/** Six families of hue; icon, word and border style tell the states of a family apart. */
export type Tone = 'neutral' | 'blue' | 'green' | 'red' | 'amber' | 'violet';

/** Red is kept for real causes, so that the eye finds the first one; what waits because of them is amber or neutral. */
export const TASK_TONE: Record<DisplayState, Tone> = {
  pending: 'neutral',
  waiting: 'amber',
  dispatching: 'blue',
  running: 'blue',
  completed: 'green',
  failed: 'red',
  'timed-out': 'red',
  cancelling: 'amber',
  cancelled: 'neutral',
  skipped: 'neutral',
  unknown: 'violet',
};
