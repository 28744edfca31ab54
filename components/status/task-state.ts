import type { Tone } from '@/components/ui/tone';
import type { DisplayState } from '@/lib/run/display-state';
import type { RunWord } from '@/lib/store/selectors/run-overview';

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

/** A run wears the shape and hue of the task state that is most like it. */
export const RUN_LOOK: Record<RunWord, DisplayState> = {
  draft: 'pending',
  running: 'running',
  cancelling: 'cancelling',
  completed: 'completed',
  'partly-failed': 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
};
