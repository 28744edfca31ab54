'use client';

import { useState } from 'react';
import { Complaint } from '@/components/command/complaint';
import { type CommandState, useCommand } from '@/components/command/use-command';
import { useBoard, useConstellationClient } from '@/components/providers/constellation-provider';
import { runText } from '@/components/text/run-text';
import { Button, type ButtonLook } from '@/components/ui/button';
import type { RunCommand } from '@/lib/run/commands';
import { isTerminal, liveAttempt } from '@/lib/run/run';
import type { DeviceId, TaskId } from '@/lib/std/ids';
import { isPendingFor } from '@/lib/store/selectors/pending-for';
import { DeviceSelect } from './device-select';
import { useLiveRun, useObstacle } from './live-run';

/**
 * Where the task runs and what can be done with it. A pending task is placed by choosing a device; for an ended one the
 * choice counts for the retry.
 */
export function TaskActions({ taskId }: { readonly taskId: TaskId }) {
  const { run } = useLiveRun();
  const client = useConstellationClient();
  const command = useCommand();
  const [retryOn, setRetryOn] = useState<DeviceId | undefined>(undefined);
  const task = run.tasks.get(taskId);
  if (task === undefined || task.status === 'completed') return null;
  const target = { runId: run.runId, taskId };
  const isLive = liveAttempt(task) !== undefined;
  const isEnded = isTerminal(task.status);
  const retryTarget = retryOn === undefined ? target : { ...target, deviceId: retryOn };
  return (
    <div className="flex flex-col gap-3">
      <DeviceSelect
        taskId={taskId}
        chosen={isEnded ? retryOn : undefined}
        onChoose={(deviceId) => {
          if (isEnded) setRetryOn(deviceId ?? undefined);
          else command.ask(() => client.place(target, deviceId, run.revision));
        }}
      />
      <div className="flex flex-wrap gap-2 empty:hidden">
        {/* One button in one place: it keeps the focus, and a second press never hits another one. */}
        {isEnded ? (
          <ActionButton
            label={runText.task.retry}
            look="primary"
            want={{ type: 'task-retry', ...retryTarget }}
            command={command}
            onAsk={() => client.retry(target, retryOn)}
          />
        ) : (
          <ActionButton
            label={runText.task.dispatch}
            look="primary"
            want={{ type: 'task-dispatch', ...target }}
            command={command}
            onAsk={() => client.dispatch(target)}
          />
        )}
        {!isEnded && (isLive || run.launchedAtMs !== null) ? (
          <ActionButton
            label={runText.task.cancel}
            want={{ type: 'task-cancel', ...target }}
            command={command}
            onAsk={() => client.cancelTask(target)}
          />
        ) : null}
      </div>
      {isEnded ? <RetryObstacle want={{ type: 'task-retry', ...retryTarget }} /> : null}
      <Complaint command={command} />
    </div>
  );
}

/** In words beside the button too, since fingers have no tooltips. Why a pending task waits is told above. */
function RetryObstacle({ want }: { readonly want: RunCommand }) {
  const obstacle = useObstacle(want);
  return obstacle === undefined ? null : <p className="text-xs break-words text-muted">{obstacle}</p>;
}

type ActionButtonProps = {
  readonly label: string;
  readonly look?: ButtonLook;
  readonly want: Extract<RunCommand, { taskId: TaskId }>;
  readonly command: CommandState;
  readonly onAsk: () => ReturnType<Parameters<CommandState['ask']>[0]>;
};

function ActionButton({ label, look = 'secondary', want, command, onAsk }: ActionButtonProps) {
  const obstacle = useObstacle(want);
  const isPending = useBoard((board) => isPendingFor(board, want));
  return (
    <Button look={look} isBusy={isPending} unavailableBecause={obstacle} onClick={() => command.ask(onAsk)}>
      {label}
    </Button>
  );
}
