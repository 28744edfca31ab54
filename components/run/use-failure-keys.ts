import { useEffect, useRef } from 'react';
import { useTaskSelection } from '@/components/canvas/task-selection';
import { isPlainKey } from '@/components/ui/plain-key';
import { failuresOf, stepFailure } from '@/lib/store/selectors/run-overview';
import { useLiveRun } from './live-run';

/** `n` opens the next failure, `p` the one before. */
export function useFailureKeys(): void {
  const selection = useTaskSelection();
  const live = useLiveRun();
  const current = useRef(live);
  current.current = live;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.key !== 'n' && event.key !== 'p') || !isPlainKey(event)) return;
      const { run, view } = current.current;
      const step = event.key === 'n' ? 'next' : 'previous';
      const taskId = stepFailure(failuresOf(run, view), selection.getState().taskId, step);
      if (taskId !== undefined) selection.setState({ taskId });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [selection]);
}
