'use client';

import { useEffect, useRef, useState } from 'react';
import { useBoard } from '@/components/providers/constellation-provider';
import { askRelay } from '@/components/providers/relay-http';
import { taskOutputSchema } from '@/lib/relay-protocol/http';
import type { OutputMark } from '@/lib/relay-protocol/output';
import type { RunId, TaskId } from '@/lib/std/ids';
import { isBehind, NO_OUTPUT, nextLine, type TaskOutputCopy, withPiece } from '@/lib/store/task-output';

const AGAIN_AFTER_MS = 2_000;

/**
 * What a task has printed, kept up with while the component is mounted. The socket tells how far it reaches, and what is
 * missing is fetched, one piece at a time.
 */
export function useTaskOutput(
  runId: RunId,
  taskId: TaskId,
): { readonly mark: OutputMark | undefined; readonly output: TaskOutputCopy } {
  const mark = useBoard((state) => state.outputMarks.get(runId)?.get(taskId));
  const isOpen = useBoard((state) => state.link.phase === 'open');
  const [output, setOutput] = useState(NO_OUTPUT);
  const [tries, setTries] = useState(0);
  const isFetching = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a try that is over says that it is time to look again
  useEffect(() => {
    if (!isOpen || mark === undefined || isFetching.current || !isBehind(output, mark)) return;
    isFetching.current = true;
    const lookAgain = () => {
      isFetching.current = false;
      setTries((count) => count + 1);
    };
    void fetchPiece(runId, taskId, output).then((piece) => {
      if (!piece.ok) {
        setTimeout(lookAgain, AGAIN_AFTER_MS);
        return;
      }
      setOutput((copy) => withPiece(copy, piece.value));
      lookAgain();
    });
  }, [runId, taskId, isOpen, mark, output, tries]);
  return { mark, output };
}

function fetchPiece(runId: RunId, taskId: TaskId, copy: TaskOutputCopy) {
  const path = `/v1/runs/${runId}/tasks/${encodeURIComponent(taskId)}/output`;
  const place = `attempt=${copy.attempt}&after=${nextLine(copy)}`;
  return askRelay({ method: 'GET', path: `${path}?${place}`, answer: taskOutputSchema });
}
