'use client';

import { useTaskSelection } from '@/components/canvas/task-selection';
import { runText } from '@/components/text/run-text';
import { Notice } from '@/components/ui/notice';
import { useLaunchObstacle, useLiveRun } from './live-run';

/** More than anybody places by hand; the rest follows when these are placed. */
const SHOWN_MAX = 50;

/** What stands in the way of a launch, while the run is a draft: each task is a way to itself. */
export function LaunchNote() {
  const { run } = useLiveRun();
  const selection = useTaskSelection();
  const { reason, faults } = useLaunchObstacle();
  const isDraft = run.launchedAtMs === null && run.endedAtMs === null && run.cancelAsked === null;
  if (!isDraft || reason === undefined) return null;
  const words = runText.panel;
  if (faults.length === 0) {
    return (
      <Notice tone="amber" title={words.notReady}>
        {reason}
      </Notice>
    );
  }
  return (
    <Notice tone="amber" title={words.notReady}>
      <p>{words.withoutDevice(faults.length)}</p>
      <ul aria-label={words.notReady} className="mt-1 flex max-h-64 flex-col overflow-y-auto">
        {faults.slice(0, SHOWN_MAX).map(({ taskId, name, deviceName }) => (
          <li key={taskId}>
            <button
              type="button"
              className="w-full rounded px-1 py-1 text-left hover:bg-hover"
              onClick={() => selection.setState({ taskId })}
            >
              <span className="font-medium break-words underline underline-offset-2">{name}</span>
              <span className="block text-xs break-words">{words.launchFault(deviceName)}</span>
            </button>
          </li>
        ))}
        {faults.length > SHOWN_MAX ? (
          <li className="px-1 py-1 text-xs">{words.moreFaults(faults.length - SHOWN_MAX)}</li>
        ) : null}
      </ul>
    </Notice>
  );
}
