'use client';

import Link from 'next/link';
import { DeviceReachDot } from '@/components/status/device-reach-dot';
import { runText } from '@/components/text/run-text';
import { SelectField } from '@/components/ui/field';
import { findDevice } from '@/lib/fleet/find-device';
import { isTerminal } from '@/lib/run/run';
import { type DeviceId, deviceIdSchema, type TaskId } from '@/lib/std/ids';
import { useLiveRun, useObstacle } from './live-run';

type DeviceSelectProps = {
  readonly taskId: TaskId;
  /** Chosen here and not placed yet; undefined shows where the task is placed. */
  readonly chosen: DeviceId | undefined;
  readonly onChoose: (deviceId: DeviceId | null) => void;
};

const NONE = '';

/** Where the task is placed, each device with its state; names that are no device here stay visible until replaced. */
export function DeviceSelect({ taskId, chosen, onChoose }: DeviceSelectProps) {
  const { run, fleet, view } = useLiveRun();
  const placed = run.constellation.tasks.get(taskId)?.targetDeviceId ?? null;
  const devices = [...fleet.devices.values()];
  const isUnknown = placed !== null && findDevice(fleet, placed) === undefined;
  const [first] = fleet.devices.keys();
  const task = run.tasks.get(taskId);
  const isEnded = task !== undefined && isTerminal(task.status);
  const moveObstacle = useObstacle({
    type: 'task-place',
    runId: run.runId,
    taskId,
    deviceId: first ?? null,
    baseRevision: run.revision,
  });
  const obstacle = isEnded ? undefined : moveObstacle;
  const taskView = view.tasks.get(taskId);
  const words = runText.task;
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField
          label={words.device}
          value={chosen ?? placed ?? NONE}
          disabled={obstacle !== undefined}
          title={obstacle}
          hint={obstacle ?? (isEnded ? words.sameDevice : words.placing)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChoose(value === NONE ? null : deviceIdSchema.parse(value));
          }}
        >
          {placed === null || run.launchedAtMs === null ? <option value={NONE}>{words.noDevice}</option> : null}
          {isUnknown ? (
            <option value={placed} disabled>
              {words.unknownDevice(placed)}
            </option>
          ) : null}
          {devices.map(({ profile, status }) => (
            <option key={profile.deviceId} value={profile.deviceId}>
              {words.deviceOption(profile.deviceId, status)}
            </option>
          ))}
        </SelectField>
      </div>
      {taskView === undefined || placed === null || isUnknown ? null : (
        <span className="mb-6 flex h-8 items-center gap-1.5 text-xs text-muted">
          <DeviceReachDot reach={taskView.deviceReach} />
          <Link className="underline underline-offset-2" href={`/devices/${encodeURIComponent(placed)}`}>
            {runText.reach[taskView.deviceReach]}
          </Link>
        </span>
      )}
    </div>
  );
}
