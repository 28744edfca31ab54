import { useEffect, useState } from 'react';
import { createTaskSelection, type TaskSelection } from '@/components/canvas/task-selection';
import { taskIdSchema } from '@/lib/std/ids';

const PARAMETER = 'task';

/** The chosen task, kept in the address: a link opens it, and Back closes what was opened last. */
export function useSelectionInAddress(): TaskSelection {
  const [selection] = useState(createTaskSelection);
  useEffect(() => {
    const fromAddress = () => {
      const parsed = taskIdSchema.safeParse(new URLSearchParams(window.location.search).get(PARAMETER));
      selection.setState({ taskId: parsed.success ? parsed.data : null });
    };
    fromAddress();
    const stop = selection.subscribe(({ taskId }) => {
      const address = new URL(window.location.href);
      if (address.searchParams.get(PARAMETER) === taskId) return;
      if (taskId === null) address.searchParams.delete(PARAMETER);
      else address.searchParams.set(PARAMETER, taskId);
      window.history.pushState(null, '', address);
    });
    window.addEventListener('popstate', fromAddress);
    return () => {
      stop();
      window.removeEventListener('popstate', fromAddress);
    };
  }, [selection]);
  return selection;
}
