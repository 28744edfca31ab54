'use client';

import { useNow } from '@/components/providers/constellation-provider';
import { formatDuration, formatTook } from '@/components/text/format-time';
import type { TaskView } from '@/lib/store/selectors/run-view';

/** Elapsed while it runs, the duration when it is over, nothing before. */
export function TaskTime({ view }: { readonly view: Pick<TaskView, 'runningSinceMs' | 'durationMs'> }) {
  if (view.runningSinceMs !== null) return <Elapsed sinceMs={view.runningSinceMs} />;
  return view.durationMs === null ? null : <span className="tabular-nums">{formatTook(view.durationMs)}</span>;
}

/** Alone, so that the clock paints these few letters and nothing else. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <span className="tabular-nums">{formatDuration(useNow() - sinceMs)}</span>;
}
