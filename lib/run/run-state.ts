import type { ConstellationState } from '@/lib/constellation/constellation';
import type { Run } from './run';

/** The four states in which a run is over, until a retry opens it again. */
export function isRunEnded(run: Run): boolean {
  return run.endedAtMs !== null;
}

/**
 * How a run ends when its last task has ended.
 *
 * A cancelled run is cancelled, whatever its tasks did; otherwise it is completed only if every task is.
 */
export function finalState(run: Pick<Run, 'tasks' | 'cancelAsked'>): ConstellationState {
  if (run.cancelAsked !== null) return 'cancelled';
  let completed = 0;
  let failed = 0;
  for (const { status } of run.tasks.values()) {
    if (status === 'completed') completed += 1;
    if (status === 'failed') failed += 1;
  }
  if (completed === run.tasks.size) return 'completed';
  if (completed > 0) return 'partially_failed';
  return failed > 0 ? 'failed' : 'cancelled';
}
